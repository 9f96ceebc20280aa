import type { Context } from "aws-lambda";
import { expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { keptWarm, warmUp } from "#lib/contract/keep-warm.ts";
import type { Endpoint, Mount } from "#lib/http/handler.ts";

/** A platform on which every use fails. */
const nothing = new Proxy({} as Mount, {
  get(_, name) {
    throw new Error(`A warm-up uses ${String(name)}`);
  },
});

it.each(keptWarm)("%s answers a warm-up without using anything", async (id) => {
  const route = routes.find((one) => one.id === id);
  const { handler } = (await import(`../../../functions/${route?.area}/${route?.file}.ts`)) as { handler: Endpoint };
  expect(await handler.on(nothing)(warmUp as never, {} as Context)).toEqual({ statusCode: 204 });
});
