import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { settingsFor } from "../../infra/settings.ts";
import { resources, template } from "./prod.ts";
import { prodFile } from "./synthesized.ts";

/** Whether a route moves money or keeps people out. */
const isMoney = ({ limited }: (typeof routes)[number]) => limited === "money" || limited === "refunds";

describe("the gateway", () => {
  const { tightThrottle, throttle } = settingsFor("prod", prodFile);
  const stageOf = Object.values(
    resources<{
      readonly DefaultRouteSettings: object;
      readonly RouteSettings: Readonly<Record<string, object>>;
    }>("AWS::ApiGatewayV2::Stage"),
  )[0];

  const settings = ({ rateLimit, burstLimit }: typeof throttle) => ({
    ThrottlingRateLimit: rateLimit,
    ThrottlingBurstLimit: burstLimit,
  });

  it("the gateway has a tight throttle for exactly the routes that move money or block people, and metrics for no single route", () => {
    expect(stageOf?.Properties.DefaultRouteSettings).toEqual(settings(throttle));
    const money = routes.filter(isMoney).map(({ key }) => key);
    expect(Object.keys(stageOf?.Properties.RouteSettings ?? {}).toSorted()).toEqual(money.toSorted());
    for (const key of money) expect(stageOf?.Properties.RouteSettings[key]).toEqual(settings(tightThrottle));
  });

  it("the stage of the gateway depends on the routes that its route settings name", () => {
    const routeIds = Object.keys(resources("AWS::ApiGatewayV2::Route"));
    expect((stageOf as { DependsOn?: readonly string[] }).DependsOn).toEqual(expect.arrayContaining(routeIds));
  });

  it("routes that move money or block members are in the rate limit money", () => {
    const names = routes.filter(isMoney).map(({ area, name }) => `${area} ${name}`);
    expect(names.toSorted()).toEqual(
      [
        ...["block", "unblock", "cancelSubscription", "uncancelSubscription", "issueRefund", "refundCharge"].map(
          (name) => `members ${name}`,
        ),
        ...["cancelSubscription", "uncancelSubscription"].map((name) => `membership ${name}`),
        ...["change", "changeOwn", "dropScheduledChange", "dropOwnScheduledChange"].map(
          (name) => `subscriptions ${name}`,
        ),
        ...["createSession", "createPortalSession"].map((name) => `checkout ${name}`),
      ].toSorted(),
    );
  });

  it("other routes that call Stripe are in the rate limit processor", () => {
    const names = routes.filter(({ limited }) => limited === "processor").map(({ area, name }) => `${area} ${name}`);
    const ofMembers = ["importBatch", "paymentHistory", "subscriptionDetails", "update"].map(
      (name) => `members ${name}`,
    );
    expect(names.toSorted()).toEqual([...ofMembers, "membership paymentHistory", "tiers create", "tiers update"]);
  });

  it("routes that send events on demand have the rate limit deliveries, without the throttle and alarms of money", () => {
    const sending = routes.filter(({ limited }) => limited === "deliveries");
    expect(sending.map(({ area, name }) => `${area} ${name}`).toSorted()).toEqual([
      "destinations ping",
      "destinations resend",
      "destinations resendMany",
    ]);
    const throttled = Object.keys(stageOf?.Properties.RouteSettings ?? {});
    const alarms = Object.keys(resources("AWS::CloudWatch::Alarm")).join(" ");
    for (const { id, key } of sending) {
      expect(throttled).not.toContain(key);
      expect(alarms).not.toContain(id);
    }
  });

  it("a route that only reads may write the counters of rate limits, and nothing else", () => {
    template.hasResourceProperties("AWS::IAM::Role", {
      Policies: Match.arrayWith([
        Match.objectLike({
          PolicyDocument: Match.objectLike({
            Statement: Match.arrayWith([
              Match.objectLike({
                Action: "dynamodb:UpdateItem",
                Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["USAGE#*"] } },
              }),
            ]),
          }),
        }),
      ]),
    });
  });
});
