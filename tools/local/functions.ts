import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Trigger, triggerTimeLimits } from "#lib/contract/time-limits.ts";
import { type LambdaContext, lambdaContext } from "./lambda-context.ts";

type Handler = (event: unknown, context: LambdaContext) => Promise<unknown>;

export type Functions = {
  /** Calls a route's function. */
  readonly invoke: (
    route: { readonly area: string; readonly file: string },
    event: unknown,
    context: LambdaContext,
  ) => Promise<unknown>;
  /** Calls a trigger's function, `functions/triggers/<file>.ts`. */
  readonly call: (file: Trigger, event: unknown) => Promise<unknown>;
  /** Lets the next call of each function see its newest build. */
  readonly reload: () => void;
};

/**
 * The built functions of a folder, `<dist>/<area>/<file>/index.mjs`, in this process. Each is imported at its first call
 * and kept, as Lambda keeps an execution environment; events and results pass through JSON, as on Lambda's wire.
 */
export function loadFunctions({ dist }: { readonly dist: string }): Functions {
  const loaded = new Map<string, Promise<Handler>>();

  const handlerOf = (place: string): Promise<Handler> => {
    const known = loaded.get(place);
    if (known) return known;
    const handler = load(dist, place);
    loaded.set(place, handler);
    // A build that could not be imported is tried again, for it may be mended.
    handler.catch(() => loaded.delete(place));
    return handler;
  };
  const run = async (place: string, event: unknown, context: LambdaContext): Promise<unknown> => {
    const handler = await handlerOf(place);
    return overWire(await handler(overWire(event), context));
  };

  return {
    invoke: ({ area, file }, event, context) => run(join(area, file), event, context),
    call: (file, event) => run(join("triggers", file), event, lambdaContext(file, triggerTimeLimits[file])),
    reload: () => loaded.clear(),
  };
}

async function load(dist: string, place: string): Promise<Handler> {
  const path = resolve(dist, place, "index.mjs");
  const { mtimeMs } = await stat(path).catch((cause: unknown) => {
    throw new Error(`Function ${place} is not in ${dist}. Run "npm run build"`, { cause });
  });
  // Node keeps a module by its whole address, so another time of change is another module.
  const module = (await import(`${pathToFileURL(path).href}?${mtimeMs}`)) as { readonly handler?: unknown };
  if (typeof module.handler !== "function") throw new Error(`${path} exports no handler`);
  return module.handler as Handler;
}

const overWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
