import { RemovalPolicy } from "aws-cdk-lib";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Recovery } from "./recovery.ts";

/** What differs between stages; everything else is the same everywhere. */
export type Settings = Recovery & {
  readonly stage: string;
  /** What becomes of data, users, keys and logs when the stack is destroyed. */
  readonly removalPolicy: RemovalPolicy;
  /** Whether AWS refuses to delete the table, the users and the stack until the protection is taken off. */
  readonly isProtected: boolean;
  readonly logRetention: RetentionDays;
  /** Over all callers of a route. */
  readonly throttle: Throttle;
  /** The same for a route that is `limited`. */
  readonly tightThrottle: Throttle;
  /** Web origins that may call the API from a browser, and that Stripe may send people back to. */
  readonly allowOrigins: readonly string[];
  /**
   * Whether functions declare, empty, what would turn them to stand-ins of AWS and Stripe: `sam local invoke` sets no
   * variable that the template does not have.
   */
  readonly takesStandIns: boolean;
  /** E-mail addresses that alarms are sent to, once each has confirmed it. */
  readonly alarmsTo: readonly string[];
};

/** Where the functions of a stage put what they measure. */
export const metricsNamespace = ({ stage }: Pick<Settings, "stage">): string => `odis-${stage}`;

/** Requests a second, and how many at once. */
type Throttle = { readonly rateLimit: number; readonly burstLimit: number };

const stages: Readonly<Record<string, Omit<Settings, "stage" | keyof Recovery>>> = {
  sandbox: {
    removalPolicy: RemovalPolicy.DESTROY,
    isProtected: false,
    logRetention: RetentionDays.ONE_WEEK,
    throttle: { rateLimit: 50, burstLimit: 100 },
    tightThrottle: { rateLimit: 5, burstLimit: 10 },
    allowOrigins: [],
    takesStandIns: true,
    alarmsTo: [],
  },
  prod: {
    removalPolicy: RemovalPolicy.RETAIN,
    isProtected: true,
    logRetention: RetentionDays.THREE_MONTHS,
    throttle: { rateLimit: 500, burstLimit: 1000 },
    tightThrottle: { rateLimit: 50, burstLimit: 100 },
    allowOrigins: [],
    takesStandIns: false,
    alarmsTo: [],
  },
};

/** @throws Error for a stage that is not described here */
export function settingsFor(stage: string): Settings {
  const settings = Object.hasOwn(stages, stage) ? stages[stage] : undefined;
  if (settings) return { stage, maintenance: false, ...settings };
  throw new Error(`There is no stage "${stage}": say -c stage=${Object.keys(stages).join(" or -c stage=")}`);
}
