import { smoke } from "../deploy/smoke.ts";
import type { Check, Fault } from "./check.ts";
import { outputOf } from "./stack.ts";

/** @param unexpected responses of the API that are wrong, in sentences. The first one is enough for a fault */
export const apiFaults = ([response]: readonly string[], stage: string): readonly Fault[] =>
  response === undefined
    ? []
    : [
        {
          says: `${response}.`,
          command: stage === "local" ? "npm start" : `npm run logs -- --stage ${stage} Errors --since 30m`,
        },
      ];

export const api: Check = {
  name: "API",
  isLocal: true,
  async look(stack) {
    // During maintenance, the API refuses all requests.
    return stack.isInMaintenance ? [] : apiFaults(await smoke(outputOf(stack, "ApiUrl")), stack.stage);
  },
};
