import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RemovalPolicy } from "aws-cdk-lib";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import * as v from "valibot";
import type { Recovery } from "./recovery.ts";
import { mistakesIn, StageFile } from "./stage-file.ts";

/** Settings that depend on the kind of a stage. */
type Kind = {
  /**
   * Whether data, users, keys and logs are deleted with the stack. Even if they are retained, a failed first deployment
   * deletes them (`RetainExceptOnCreate`).
   */
  readonly removalPolicy: RemovalPolicy;
  /** Whether the stack, the table and the user pool have deletion protection. */
  readonly isProtected: boolean;
  readonly logRetention: RetentionDays;
  /** Throttle of a route for all callers together. */
  readonly throttle: Throttle;
  /** Throttle of a route that moves money or blocks people (`api.ts`), for all callers together. */
  readonly tightThrottle: Throttle;
  /** Whether the functions of the routes with which an app opens are kept warm. */
  readonly keepWarm: boolean;
  /**
   * Whether functions declare the variables for stand-ins of AWS and Stripe, with empty values. `sam local invoke` can only
   * set variables that are in the template.
   */
  readonly takesStandIns: boolean;
};

/** All settings of a stage. */
export type Settings = Kind & Omit<StageFile, "throttle" | "keepWarm"> & Recovery & { readonly stage: string };

/** The table that a stack uses: the name of a restored table, or `own`. */
export const tableInUse = ({ table }: Pick<Settings, "table">): string => table?.name ?? "own";

/** CloudWatch namespace of a stage's metrics. */
export const metricsNamespace = ({ stage }: Pick<Settings, "stage">): string => `odis-${stage}`;

/** Requests per second, and the burst. */
type Throttle = { readonly rateLimit: number; readonly burstLimit: number };

const sandbox: Kind = {
  removalPolicy: RemovalPolicy.DESTROY,
  isProtected: false,
  logRetention: RetentionDays.ONE_WEEK,
  throttle: { rateLimit: 50, burstLimit: 100 },
  tightThrottle: { rateLimit: 5, burstLimit: 10 },
  keepWarm: false,
  takesStandIns: true,
};

const prod: Kind = {
  removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  isProtected: true,
  logRetention: RetentionDays.THREE_MONTHS,
  throttle: { rateLimit: 500, burstLimit: 1000 },
  tightThrottle: { rateLimit: 50, burstLimit: 100 },
  keepWarm: true,
  takesStandIns: false,
};

/** The kind of a stage. `sandbox-anna` is another sandbox. The names of functions, which have at most 64 characters, limit the suffix. */
const kindOf = (stage: string): Kind | undefined =>
  stage === "prod" ? prod : /^sandbox(?:-[a-z0-9]{1,15})?$/.test(stage) ? sandbox : undefined;

const fileOf = (stage: string): string => `stages/${stage}.json`;

/** Email addresses that a notification of a budget can have. */
const maxBudgetSubscribers = 10;

/** Reasons why a stage cannot be deployed with the contents of its file, as sentences. */
export function findMistakes(stage: string, contents: unknown): string[] {
  if (!kindOf(stage))
    return [
      `Unknown stage "${stage}": use prod, sandbox or sandbox-<name>, whose name has at most 15 lowercase letters and digits.`,
    ];
  const mistakes = mistakesIn(contents);
  if (mistakes.length === 0) {
    const { sender, alarmsTo, monthlyBudgetDollars, table, epoch } = v.parse(StageFile, contents);
    const isProd = stage === "prod";
    if (isProd && !sender) mistakes.push("sender is missing: Cognito itself sends 50 messages a day.");
    if (alarmsTo.length === 0 && (isProd || monthlyBudgetDollars !== undefined))
      mistakes.push(`alarmsTo is missing: nobody would hear of ${isProd ? "an alarm" : "the budget"}.`);
    if (monthlyBudgetDollars !== undefined && alarmsTo.length > maxBudgetSubscribers)
      mistakes.push(
        `alarmsTo has ${alarmsTo.length} addresses, but a budget notifies at most ${maxBudgetSubscribers}.`,
      );
    if (table && epoch === 0)
      mistakes.push("epoch is missing: subscribers would ignore the events of the restored table.");
  }
  return mistakes.map((mistake) => `${fileOf(stage)}: ${mistake}`);
}

/**
 * The settings of a stage.
 *
 * @param contents the contents of the stage's file (`StageFile`)
 * @param isFirst whether this is the first deployment. It has no deletion protection, so that CloudFormation can delete
 *   everything if it fails
 * @throws Error for an unknown stage or invalid contents
 */
export function settingsFor(stage: string, contents: unknown = {}, { isFirst = false } = {}): Settings {
  const mistakes = findMistakes(stage, contents);
  const kind = kindOf(stage);
  if (!kind || mistakes.length > 0) throw new Error(mistakes.join(" "));
  const { throttle = kind.throttle, keepWarm = kind.keepWarm, ...decisions } = v.parse(StageFile, contents);
  const isProtected = kind.isProtected && !isFirst;
  return { stage, ...kind, isProtected, ...decisions, throttle, keepWarm, maintenance: false };
}

/**
 * The contents of `stages/<stage>.json`. An empty object if the file does not exist.
 *
 * @throws Error if the file is not JSON
 */
export function readStageFile(stage: string): unknown {
  const path = join(import.meta.dirname, "..", fileOf(stage));
  if (!existsSync(path)) return {};
  try {
    return JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw new Error(`${fileOf(stage)} is not JSON`, { cause });
  }
}
