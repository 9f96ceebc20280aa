import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RemovalPolicy } from "aws-cdk-lib";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import * as v from "valibot";
import type { Recovery } from "./recovery.ts";
import { mistakesIn, StageFile } from "./stage-file.ts";

/** What the kind of a stage decides. */
type Kind = {
  /**
   * What becomes of data, users, keys and logs when the stack is destroyed. Where they are retained, a first deployment
   * that fails still leaves none of them behind (`RetainExceptOnCreate`).
   */
  readonly removalPolicy: RemovalPolicy;
  /** Whether AWS refuses to delete the stack, the table and the users until the protection is taken off. */
  readonly isProtected: boolean;
  readonly logRetention: RetentionDays;
  /** Over all callers of a route. */
  readonly throttle: Throttle;
  /** The same for a route that is `limited`. */
  readonly tightThrottle: Throttle;
  /**
   * Whether functions declare, empty, what would turn them to stand-ins of AWS and Stripe: `sam local invoke` sets no
   * variable that the template does not have.
   */
  readonly takesStandIns: boolean;
};

/** What differs between stages; everything else is the same everywhere. */
export type Settings = Kind & Omit<StageFile, "throttle"> & Recovery & { readonly stage: string };

/** The table that a stack uses: the name of a restored one, or `own` for the one that is part of the stack. */
export const tableInUse = ({ table }: Pick<Settings, "table">): string => table?.name ?? "own";

/** Where the functions of a stage put what they measure. */
export const metricsNamespace = ({ stage }: Pick<Settings, "stage">): string => `odis-${stage}`;

/** Requests a second, and how many at once. */
type Throttle = { readonly rateLimit: number; readonly burstLimit: number };

const sandbox: Kind = {
  removalPolicy: RemovalPolicy.DESTROY,
  isProtected: false,
  logRetention: RetentionDays.ONE_WEEK,
  throttle: { rateLimit: 50, burstLimit: 100 },
  tightThrottle: { rateLimit: 5, burstLimit: 10 },
  takesStandIns: true,
};

const prod: Kind = {
  removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  isProtected: true,
  logRetention: RetentionDays.THREE_MONTHS,
  throttle: { rateLimit: 500, burstLimit: 1000 },
  tightThrottle: { rateLimit: 50, burstLimit: 100 },
  takesStandIns: false,
};

/** `sandbox-anna` is a sandbox beside `sandbox`. Names of functions have room for so many letters. */
const kindOf = (stage: string): Kind | undefined =>
  stage === "prod" ? prod : /^sandbox(?:-[a-z0-9]{1,16})?$/.test(stage) ? sandbox : undefined;

const fileOf = (stage: string): string => `stages/${stage}.json`;

/** Why a stage cannot be deployed with the contents of its file, one sentence for each reason. */
export function findMistakes(stage: string, contents: unknown): string[] {
  if (!kindOf(stage)) return [`Unknown stage "${stage}": use sandbox, sandbox-<name> or prod.`];
  const mistakes = mistakesIn(contents);
  if (mistakes.length === 0) {
    const { sender, alarmsTo, monthlyBudgetDollars, table, epoch } = v.parse(StageFile, contents);
    const isProd = stage === "prod";
    if (isProd && !sender) mistakes.push("sender is missing: Cognito itself sends 50 messages a day.");
    if (alarmsTo.length === 0 && (isProd || monthlyBudgetDollars !== undefined))
      mistakes.push(`alarmsTo is missing: nobody would hear of ${isProd ? "an alarm" : "the budget"}.`);
    if (table && epoch === 0)
      mistakes.push("epoch is missing: subscribers would ignore the events of the restored table.");
  }
  return mistakes.map((mistake) => `${fileOf(stage)}: ${mistake}`);
}

/**
 * The settings of a stage.
 *
 * @param contents what the operator decides: see `StageFile`
 * @param isFirst whether this is the first deployment. Nothing is protected yet then, as CloudFormation must be able to
 *   delete what it has created if the deployment fails
 * @throws Error for a stage that does not exist, or contents that it cannot be deployed with
 */
export function settingsFor(stage: string, contents: unknown = {}, { isFirst = false } = {}): Settings {
  const mistakes = findMistakes(stage, contents);
  const kind = kindOf(stage);
  if (!kind || mistakes.length > 0) throw new Error(mistakes.join(" "));
  const { throttle, ...given } = v.parse(StageFile, contents);
  const isProtected = kind.isProtected && !isFirst;
  return { stage, ...kind, isProtected, ...given, ...(throttle && { throttle }), maintenance: false };
}

/**
 * The contents of `stages/<stage>.json`; an empty object where there is no such file.
 *
 * @throws Error where it is not JSON
 */
export function readStageFile(stage: string): unknown {
  const path = join(import.meta.dirname, "..", fileOf(stage));
  if (!existsSync(path)) return {};
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new Error(`${fileOf(stage)} is not JSON`, { cause });
  }
}
