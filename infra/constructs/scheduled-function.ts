import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import type { Construct } from "constructs";
import { TriggerFunction, type TriggerProps } from "./trigger-function.ts";

/** A function that runs every 15 minutes. */
export class ScheduledFunction extends TriggerFunction {
  constructor(scope: Construct, id: string, props: Omit<TriggerProps, "reservedConcurrency">) {
    const reservedConcurrency = props.settings.reservedConcurrency.schedules;
    super(scope, id, { ...props, reservedConcurrency });
    // By default, Lambda retries twice after a failure, in addition to the next run of the schedule.
    this.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(10) });
    new Rule(scope, `${id}Schedule`, {
      description: `Runs ${id}`,
      enabled: !props.settings.maintenance,
      schedule: Schedule.rate(Duration.minutes(15)),
      targets: [new LambdaTarget(this, { retryAttempts: 0 })],
    });
  }
}
