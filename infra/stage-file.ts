import * as v from "valibot";
import { maxEpoch } from "#lib/epoch.ts";

const positive = (what: string) => v.pipe(v.number(what), v.integer(what), v.minValue(1, what));
const isEpoch = "must be a number of restores";
const email = v.pipe(v.string(), v.email("must be an email address"));
const isOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text;
const origin = v.pipe(v.string(), v.check(isOrigin, "must be an origin, such as https://app.example.com"));
const isJoinUrl = (text: string) =>
  URL.canParse(text) && new URL(text).protocol === "https:" && text.includes("{tier_id}");
const hostname = v.pipe(
  v.string(),
  v.regex(/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, "must be a host name, such as app.example.com"),
);
const arn = (pattern: string, what: string) =>
  v.pipe(v.string(), v.regex(new RegExp(`^arn:aws[a-z-]*:${pattern}$`), `must be the ARN of ${what}`));

/** Executions that wait in `lib/billing/pace.ts` (ten per second, for five seconds), and others that handle their event. */
const minWebhookExecutions = 70;

/** The region in which CloudFront requires certificates and web ACLs. */
const forCloudFront = "us-east-1";

/**
 * The settings of an operator for a stage: the contents of `stages/<stage>.json`. All are optional in a sandbox.
 */
export const StageFile = v.strictObject({
  /** Web origins that may call the API from a browser, and to which Stripe may redirect. */
  allowOrigins: v.optional(v.array(origin), []),
  /**
   * Page of your app where people join a tier, for the links in the console. `{slug}` and `{tier_id}` stand for those of the
   * community and the tier.
   */
  joinUrl: v.optional(v.pipe(v.string(), v.check(isJoinUrl, "must be an https URL with {tier_id}"))),
  /** Email addresses for alarms and the budget. Each must confirm its subscription. */
  alarmsTo: v.optional(v.array(email), []),
  /** Sender of the user pool's email. Without it, Cognito sends at most 50 messages a day. */
  sender: v.optional(
    v.strictObject({
      /** `Odis <no-reply@example.com>` */
      from: v.pipe(v.string(), v.regex(/^(?:[^<>@]+<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/, "must be a sender")),
      /** The verified identity in SES: a domain or an address. */
      identityArn: arn("ses:[a-z0-9-]+:\\d{12}:identity/.+", "an identity in SES"),
    }),
  ),
  /**
   * Whether the user pool distinguishes the case of email addresses, like pools of the first release. Cannot be changed in an
   * existing pool (docs/upgrading.md). New stages leave it out.
   */
  caseSensitiveSignIn: v.optional(v.boolean(), false),
  /** Host name of API and site at CloudFront. */
  domain: v.optional(
    v.strictObject({
      name: hostname,
      certificateArn: arn(`acm:${forCloudFront}:\\d{12}:certificate/.+`, `a certificate in ${forCloudFront}`),
    }),
  ),
  /** Host name of the API for CloudFront. */
  apiDomain: v.optional(
    v.strictObject({
      name: hostname,
      certificateArn: arn("acm:[a-z0-9-]+:\\d{12}:certificate/.+", "a certificate in the region of the stack"),
      /**
       * `none`: API Gateway has the name. `origin`: CloudFront calls the API at the name. `exclusive`: the API's default
       * endpoint is disabled too. Each needs a deployment of its own (docs/operations.md).
       */
      use: v.optional(v.picklist(["none", "origin", "exclusive"], "must be none, origin or exclusive"), "none"),
    }),
  ),
  /** The web ACL of the distribution, for example with a rate limit per IP address. */
  webAclArn: v.optional(
    arn(`wafv2:${forCloudFront}:\\d{12}:global/webacl/.+`, `a web ACL for CloudFront in ${forCloudFront}`),
  ),
  /** Monthly budget of the account, in US dollars. `alarmsTo` are notified if the cost exceeds it. */
  monthlyBudgetDollars: v.optional(positive("must be a whole number of dollars")),
  /** Maximum request units per second of the table, and of each index. Default: the quota of the account. */
  tableCeiling: v.optional(
    v.strictObject({
      readUnits: positive("must be a number of request units"),
      writeUnits: positive("must be a number of request units"),
    }),
  ),
  /**
   * A restored table that replaces the stack's own. A running stack changes its table only if the deployment also names the
   * new one (`infra/constructs/table.ts`).
   */
  table: v.optional(
    v.pipe(
      v.strictObject({
        name: v.pipe(v.string(), v.regex(/^(?!own$)[\w.-]{3,255}$/, "must be the name of a table")),
        streamArn: v.string(),
      }),
      v.forward(
        v.check(
          ({ name, streamArn }) =>
            /^arn:[\w-]+:dynamodb:[\w-]+:\d{12}:table\/([^/]+)\/stream\/./.exec(streamArn)?.[1] === name,
          "must be the ARN of the table's stream",
        ),
        ["streamArn"],
      ),
    ),
  ),
  /** Number of restores of the table so far. Must never decrease. */
  epoch: v.optional(
    v.pipe(
      v.number(isEpoch),
      v.integer(isEpoch),
      v.minValue(0, isEpoch),
      v.maxValue(maxEpoch, `must be at most ${maxEpoch}`),
    ),
    0,
  ),
  /** Concurrent executions that are reserved, out of those of the account, and at most run at once. */
  reservedConcurrency: v.optional(
    v.strictObject({
      webhook: v.optional(
        v.pipe(
          positive("must be a number of executions"),
          v.minValue(
            minWebhookExecutions,
            `must be at least ${minWebhookExecutions}: it is also the maximum, and about 50 executions at once wait for Stripe's rate limit`,
          ),
        ),
      ),
      /** The trigger that adds the user id to tokens. */
      signIn: v.optional(positive("must be a number of executions")),
      /** Each scheduled function. */
      schedules: v.optional(positive("must be a number of executions")),
    }),
    {},
  ),
  /** Whether the functions of the routes with which an app opens are called every five minutes, so that they stay warm. */
  keepWarm: v.optional(v.boolean("must be true or false")),
  /** Requests per second and burst of a route, for all callers together. */
  throttle: v.optional(
    v.strictObject({
      rateLimit: positive("must be requests a second"),
      burstLimit: positive("must be a number of requests"),
    }),
  ),
});
export type StageFile = v.InferOutput<typeof StageFile>;

/** Mistakes in the contents of a stage's file, as sentences. Empty if they are valid. */
export function mistakesIn(contents: unknown): string[] {
  const { issues = [] } = v.safeParse(StageFile, contents);
  return issues.map((issue) => {
    const path = v.getDotPath(issue) ?? "the file";
    if (issue.type !== "strict_object") return `${path} ${issue.message.replace(/^Invalid/, "is not right: invalid")}.`;
    return `There is no setting ${path}.`;
  });
}
