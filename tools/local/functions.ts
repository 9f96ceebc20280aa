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
  /** Makes the next call of each function use its newest build. */
  readonly reload: () => void;
};

/**
 * Runs the built functions of a folder, `<dist>/<area>/<file>/index.mjs`, in this process. Each is imported at its
 * first call and kept, like an execution environment of Lambda. Events and results are converted to JSON and back, as
 * on Lambda.
 */
export function loadFunctions({ dist }: { readonly dist: string }): Functions {
  const loaded = new Map<string, Promise<Handler>>();

  const handlerOf = (place: string): Promise<Handler> => {
    const cachedHandler = loaded.get(place);
    if (cachedHandler) return cachedHandler;
    const handler = load(dist, place);
    loaded.set(place, handler);
    // Retries a failed import at the next call, because the build may have been fixed.
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
  // Node caches modules by their complete URL, so a new modification time makes a new module.
  const module = (await import(`${pathToFileURL(path).href}?${mtimeMs}`)) as { readonly handler?: unknown };
  if (typeof module.handler !== "function") throw new Error(`${path} exports no handler`);
  return module.handler as Handler;
}

const overWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
