import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/**
 * Simulates a kill at a client's nth call, before it is sent or after its response: all later calls fail. `end` restores the
 * client, and returns whether the nth call was reached.
 */
export function killAt(client: DynamoDBDocumentClient, nth: number, when: "before" | "after") {
  let calls = 0;
  const dead = () => new Error("Killed");
  client.middlewareStack.add(
    (next) => async (args) => {
      calls += 1;
      if (calls > nth || (calls === nth && when === "before")) throw dead();
      const answer = await next(args);
      if (calls >= nth) throw dead();
      return answer;
    },
    { step: "initialize", priority: "high", name: "kill" },
  );
  return {
    end(): boolean {
      client.middlewareStack.remove("kill");
      return calls >= nth;
    },
  };
}

/** Makes a client refuse the first call of a command, and no other. `end` restores the client. */
export function refuseFirst(client: DynamoDBDocumentClient, command: string) {
  let isRefused = false;
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      (args) => {
        if (isRefused || !commandName.startsWith(command)) return next(args);
        isRefused = true;
        throw new Error("Refused");
      },
    { step: "initialize", priority: "high", name: "refuse" },
  );
  return { end: (): void => void client.middlewareStack.remove("refuse") };
}
