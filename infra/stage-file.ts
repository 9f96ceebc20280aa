import * as v from "valibot";
import { maxEpoch } from "#lib/epoch.ts";

const positive = (what: string) => v.pipe(v.number(what), v.integer(what), v.minValue(1, what));
const isEpoch = "must be a number of restores";
const email = v.pipe(v.string(), v.email("must be an email address"));
const isOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text;
const origin = v.pipe(v.string(), v.check(isOrigin, "must be an origin, such as https://app.example.com"));
const hostname = v.pipe(
  v.string(),
  v.regex(/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, "must be a host name, such as app.example.com"),
);
const arn = (pattern: string, what: string) =>
  v.pipe(v.string(), v.regex(new RegExp(`^arn:aws[a-z-]*:${pattern}$`), `must be the ARN of ${what}`));

/** Domain names of CloudFront have their certificates in this region, and web ACLs of CloudFront are there. */
const forCloudFront = "us-east-1";

/**
 * What an operator decides about a stage: the contents of `stages/<stage>.json`. All of it may be left out in a sandbox.
 */
export const StageFile = v.strictObject({
  /** Web origins that may call the API from a browser, and that Stripe may send people back to. */
  allowOrigins: v.optional(v.array(origin), []),
  /** E-mail addresses that alarms and the budget are sent to, once each has confirmed it. */
  alarmsTo: v.optional(v.array(email), []),
  /** Who sends the e-mail of the user pool. Without it, Cognito sends 50 messages a day. */
  sender: v.optional(
    v.strictObject({
      /** `Odis <no-reply@example.com>` */
      from: v.pipe(v.string(), v.regex(/^(?:[^<>@]+<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/, "must be a sender")),
      /** The verified identity in SES: a domain or an address. */
      identityArn: arn("ses:[a-z0-9-]+:\\d{12}:identity/.+", "an identity in SES"),
    }),
  ),
  /**
   * Whether the user pool minds the case of email addresses, as pools of the first release do: Cognito refuses to change that
   * in a pool that exists (docs/upgrading.md). New stages leave it out.
   */
  caseSensitiveSignIn: v.optional(v.boolean(), false),
  /** The host name of API and site, in front of which CloudFront stands. */
  domain: v.optional(
    v.strictObject({
      name: hostname,
      certificateArn: arn(`acm:${forCloudFront}:\\d{12}:certificate/.+`, `a certificate in ${forCloudFront}`),
    }),
  ),
  /** The host name by which CloudFront reaches the API. With it, the address that AWS gives the API is switched off. */
  apiDomain: v.optional(
    v.strictObject({
      name: hostname,
      certificateArn: arn("acm:[a-z0-9-]+:\\d{12}:certificate/.+", "a certificate in the region of the stack"),
    }),
  ),
  /** The web ACL of the distribution, such as one that limits the requests of an address. */
  webAclArn: v.optional(
    arn(`wafv2:${forCloudFront}:\\d{12}:global/webacl/.+`, `a web ACL for CloudFront in ${forCloudFront}`),
  ),
  /** What the account may cost in a month, in US dollars, before `alarmsTo` hear of it. */
  monthlyBudgetDollars: v.optional(positive("must be a whole number of dollars")),
  /** The most request units that the table, and each of its indexes, uses in a second. Without it, the account's quota. */
  tableCeiling: v.optional(
    v.strictObject({
      readUnits: positive("must be a number of request units"),
      writeUnits: positive("must be a number of request units"),
    }),
  ),
  /**
   * A restored table that is used in place of the stack's own. A stack that runs changes its table only if the deployment
   * names the new one (`infra/constructs/table.ts`).
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
  /** How many restores of the table came before. Each restore raises it, and nothing ever lowers it. */
  epoch: v.optional(
    v.pipe(
      v.number(isEpoch),
      v.integer(isEpoch),
      v.minValue(0, isEpoch),
      v.maxValue(maxEpoch, `must be at most ${maxEpoch}`),
    ),
    0,
  ),
  /** Concurrent executions that nothing else can use up, taken from what the account has. */
  reservedConcurrency: v.optional(
    v.strictObject({
      webhook: v.optional(positive("must be a number of executions")),
      /** The trigger that puts the user's id into tokens. */
      signIn: v.optional(positive("must be a number of executions")),
      /** Each of the scheduled functions. */
      schedules: v.optional(positive("must be a number of executions")),
    }),
    {},
  ),
  /** The most requests a second, and at once, over all callers of a route. */
  throttle: v.optional(
    v.strictObject({
      rateLimit: positive("must be requests a second"),
      burstLimit: positive("must be a number of requests"),
    }),
  ),
});
export type StageFile = v.InferOutput<typeof StageFile>;

/** What is wrong with the contents of a stage's file, one sentence for each; nothing where it can be deployed. */
export function mistakesIn(contents: unknown): string[] {
  const { issues = [] } = v.safeParse(StageFile, contents);
  return issues.map((issue) => {
    const path = v.getDotPath(issue) ?? "the file";
    if (issue.type !== "strict_object") return `${path} ${issue.message.replace(/^Invalid/, "is not right: invalid")}.`;
    return `There is no setting ${path}.`;
  });
}
