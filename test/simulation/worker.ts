import { labels, labelsInCommands } from "./conditions.ts";
import type { HistoryOptions } from "./history.ts";
import type { Mutant } from "./mutants.ts";
import { applyChanges, changesOf } from "./mutants.ts";
import type { Step } from "./plan.ts";
import type { Violation } from "./world/violation.ts";

/** A message to a worker. */
export type Order =
  | { readonly do: "run"; readonly seed: string; readonly options: HistoryOptions }
  | { readonly do: "shorten"; readonly seed: string; readonly options: HistoryOptions; readonly invariant: string }
  | { readonly do: "report" };

/** A message from a worker. */
export type Report =
  | { readonly done: "ready" }
  | {
      readonly done: "run";
      readonly seed: string;
      readonly steps: number;
      readonly hash: string;
      readonly violations: readonly Violation[];
      /** Names of the labelled conditions that were decisive. */
      readonly decisive: readonly string[];
    }
  | {
      readonly done: "shorten";
      readonly steps: readonly Step[];
      readonly violations: readonly Violation[];
      readonly journal: readonly string[];
    }
  | { readonly done: "report"; readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>> };

const mutant = process.env.SIMULATION_MUTANT;
if (mutant) applyChanges(changesOf(JSON.parse(mutant) as Mutant));
if (process.env.SIMULATION_LABELS === "on") applyChanges([...labels(), labelsInCommands]);

// The sources are changed when they are loaded, so everything that loads them is imported afterwards.
const { captureLog } = await import("./world/log.ts");
const { useSimulatedNetwork } = await import("./world/receivers.ts");
const { useSeededMachine, useVirtualTimers } = await import("./world/timers.ts");
const { takeDecisive } = await import("./world/decisive.ts");
const { runHistory } = await import("./history.ts");
const { planOf } = await import("./plan.ts");
const { shorten } = await import("./shorten.ts");
const { newFigures } = await import("./world/world.ts");
const { routes } = await import("#lib/contract/index.ts");

// Limits stack traces, because injected failures are logged and their stacks take half of the time.
Error.stackTraceLimit = 0;
captureLog();
useVirtualTimers();
useSeededMachine();
useSimulatedNetwork();

// Constants that the build writes into the functions.
Object.assign(globalThis, { VERSION: "0.0.0", ROUTE_KEYS: routes.map(({ key }) => key).join("\n") });

const figures = newFigures();

const answer = (report: Report): void => void process.send?.(report);

async function follow(order: Order): Promise<void> {
  switch (order.do) {
    case "run": {
      const { seed, steps, hash, violations } = await runHistory(order.seed, figures, order.options).catch((cause) => {
        throw new Error(`The history of seed ${order.seed} could not be run to its end`, { cause });
      });
      return answer({ done: "run", seed, steps, hash, violations, decisive: takeDecisive() });
    }
    case "shorten": {
      const { seed, options, invariant } = order;
      const live = (steps: readonly Step[]) => runHistory(seed, newFigures(), options, steps);
      const steps = await shorten(planOf(seed, options), async (fewer) =>
        (await live(fewer)).violations.some((one) => one.invariant === invariant),
      );
      const { violations, journal } = await live(steps);
      return answer({ done: "shorten", steps, violations, journal });
    }
    case "report": {
      const counts = Object.fromEntries(
        Object.entries(figures).map(([name, all]) => [name, Object.fromEntries(all) as Record<string, number>]),
      );
      process.send?.({ done: "report", counts } satisfies Report, () => process.disconnect());
      return;
    }
    default:
      return order satisfies never;
  }
}

process.on("message", (order: Order) => {
  follow(order).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
answer({ done: "ready" });
