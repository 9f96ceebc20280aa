import { accountExports } from "./account-exports.ts";
import { alarms } from "./alarms.ts";
import { api } from "./api.ts";
import { certificates } from "./certificates.ts";
import type { Check } from "./check.ts";
import { email, senderRegion } from "./email.ts";
import { failedRecords } from "./failed-records.ts";
import { functions } from "./functions.ts";
import { logs } from "./logs.ts";
import { losses } from "./losses.ts";
import { mappings } from "./mappings.ts";
import { migrations } from "./migrations.ts";
import { protection } from "./protection.ts";
import { queuePolicies } from "./queue-policies.ts";
import { deadLetters, lateMessages } from "./queues.ts";
import { quotas } from "./quotas.ts";
import { rules } from "./rules.ts";
import { secrets } from "./secrets.ts";
import { stripe } from "./stripe.ts";
import { subscriptions } from "./subscriptions.ts";
import { table } from "./table.ts";

/** All checks of a stage, in the order in which their faults are listed. */
export const checks: readonly Check[] = [
  ...protection,
  api,
  alarms,
  functions,
  mappings,
  rules,
  ...losses,
  queuePolicies,
  deadLetters,
  lateMessages,
  failedRecords,
  ...secrets,
  ...stripe,
  ...table,
  migrations,
  accountExports,
  subscriptions,
  ...email,
  senderRegion,
  certificates,
  logs,
  ...quotas,
];
