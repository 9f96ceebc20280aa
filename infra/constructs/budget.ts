import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";

/**
 * Tells the addresses of the alarms when the account has cost, or will by the end of the month, more than the budget. It
 * counts the whole account: a tag that costs are split by has to be switched on by hand first. CloudFormation gives it a
 * name, as it replaces the budget when an address changes, and a name can be used only once.
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
