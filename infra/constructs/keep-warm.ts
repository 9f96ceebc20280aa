import { Duration } from "aws-cdk-lib";
import { Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { keptWarm, warmUp } from "#lib/contract/keep-warm.ts";
import type { Settings } from "../settings.ts";

type Props = {
  /** The functions of routes, by the id of the route. */
  readonly functions: ReadonlyMap<string, IFunction>;
  readonly settings: Pick<Settings, "maintenance">;
};

/**
 * Calls the functions of the routes with which an app opens every five minutes, so that Lambda keeps an execution
 * environment of each.
 */
export class KeepWarm extends Construct {
  constructor(scope: Construct, id: string, { functions, settings }: Props) {
    super(scope, id);
    const event = RuleTargetInput.fromObject(warmUp);
    const targets = keptWarm.map((route) => {
      const handler = functions.get(route);
      if (!handler) throw new Error(`There is no route ${route} to keep warm`);
      return new LambdaTarget(handler, { event, retryAttempts: 0 });
    });
    new Rule(this, "Rule", {
      description: "Keeps the functions of an app's opening warm",
      enabled: !settings.maintenance,
      schedule: Schedule.rate(Duration.minutes(5)),
      targets,
    });
  }
}
