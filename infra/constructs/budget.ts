import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";

/**
 * Notifies the addresses of the alarms if the actual or forecast monthly cost of the account exceeds the budget. Covers the
 * whole account, because a cost allocation tag must be activated by hand. CloudFormation generates the name, because it
 * replaces the budget if an address changes.
 */
export class Budget extends Construct {
  constructor(scope: Construct, id: string, { alarmsTo, monthlyBudgetDollars }: Settings) {
    super(scope, id);
    if (monthlyBudgetDollars === undefined) return;
    const subscribers = alarmsTo.map((address) => ({ subscriptionType: "EMAIL", address }));
    const when = (notificationType: string, threshold: number) => ({
      notification: { notificationType, comparisonOperator: "GREATER_THAN", threshold, thresholdType: "PERCENTAGE" },
      subscribers,
    });
    new CfnBudget(this, "Monthly", {
      budget: {
        budgetType: "COST",
        timeUnit: "MONTHLY",
        budgetLimit: { amount: monthlyBudgetDollars, unit: "USD" },
      },
      notificationsWithSubscribers: [when("ACTUAL", 80), when("FORECASTED", 100)],
    });
  }
}
