import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import type { Construct } from "constructs";
import { TriggerFunction, type TriggerProps } from "./trigger-function.ts";

type Props = Omit<TriggerProps, "reservedConcurrency"> & {
  /** Minutes between two runs. Default: 15. */
  readonly everyMinutes?: number;
};

/** A function that runs on a schedule. */
export class ScheduledFunction extends TriggerFunction {
  constructor(scope: Construct, id: string, { everyMinutes = 15, ...props }: Props) {
    const reservedConcurrency = props.settings.reservedConcurrency.schedules;
    super(scope, id, { ...props, reservedConcurrency });
    // By default, Lambda retries twice after a failure, in addition to the next run of the schedule.
    this.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.seconds(everyMinutes * 40) });
    new Rule(scope, `${id}Schedule`, {
      description: `Runs ${id}`,
      enabled: !props.settings.maintenance,
      schedule: Schedule.rate(Duration.minutes(everyMinutes)),
      targets: [new LambdaTarget(this, { retryAttempts: 0 })],
    });
  }
}
