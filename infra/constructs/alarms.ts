import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { conditions, type Watched } from "./conditions.ts";

/** Alarms that a bad version triggers within minutes. CloudFormation accepts at most five. */
const rollbackTriggers = ["ServerErrors", "Outage", "Latency", "SignInFails", "EventsLag"] as const;

/** The alarms, and the topic to which the addresses in the settings are subscribed. */
export class Alarms extends Construct {
  readonly topicArn: string;
  readonly all: readonly Alarm[];
  /** Alarms that roll back a deployment. */
  readonly rollbackArns: readonly string[];

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const { stage, alarmsTo, maintenance } = watched.settings;
    const topic = new Topic(this, "Topic", { displayName: `Odis ${stage}`, enforceSSL: true });
    // Replaces the default policy, which allows access to the whole account.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": topic.stack.account } },
      }),
    );
    for (const address of alarmsTo) topic.addSubscription(new EmailSubscription(address));

    this.topicArn = topic.topicArn;
    this.all = Object.entries(conditions(watched)).map(([name, condition]) => {
      const { says, section = name, metric, atLeast, below, isAlwaysSent, periods = 1, of = periods } = condition;
      const alarm = new Alarm(this, name, {
        alarmName: `odis-${stage}-${name}`,
        alarmDescription: `${says}. See ${section} in docs/operations.md.`,
        metric,
        datapointsToAlarm: periods,
        evaluationPeriods: of,
        // Disabled during maintenance, when nothing runs and the alarms on missing activity would fire.
        actionsEnabled: !maintenance,
        ...(below === undefined
          ? {
              threshold: atLeast ?? 1,
              comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
              treatMissingData: isAlwaysSent ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
            }
          : {
              threshold: below,
              comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
              treatMissingData: TreatMissingData.BREACHING,
            }),
      });
      alarm.addAlarmAction(new SnsAction(topic));
      alarm.addOkAction(new SnsAction(topic));
      return alarm;
    });
    this.rollbackArns = rollbackTriggers.flatMap((name) => {
      const alarm = this.node.tryFindChild(name);
      return alarm instanceof Alarm ? [alarm.alarmArn] : [];
    });
  }
}
