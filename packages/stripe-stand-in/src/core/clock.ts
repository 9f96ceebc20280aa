import type { Account } from "./account.ts";
import { due } from "./agenda.ts";
import { expireIfOpen } from "./checkout.ts";
import { settleCharge } from "./collection.ts";
import { dispute } from "./disputes.ts";
import { eventLifetime } from "./events.ts";
import { expireIfDue } from "./pending-updates.ts";
import { settleIfStill } from "./refunds.ts";
import { announceTrialEnd, cancelAsScheduled, renew, retry } from "./renewals.ts";
import { completeIfDue, startDuePhase } from "./schedule-phases.ts";
import type { Task } from "./state.ts";
import { expire } from "./subscription-end.ts";

/** Runs all tasks that are due, in order, each at its own time. */
export function catchUp(account: Account): void {
  for (let task = due(account); task; task = due(account)) {
    const next = task;
    account.at(next.at, () =>
      account.transact(() => {
        account.remove("task", next.id);
        perform(account, next);
      }),
    );
  }
}

/** Moves the account's clock forward, and runs all tasks that fall due. */
export function advance(account: Account, seconds: number): void {
  const offset = account.get("clock", "clock")?.offset ?? 0;
  account.transact(() => account.put("clock", { id: "clock", offset: offset + seconds }));
  catchUp(account);
  forget(account);
}

/** Removes events after 30 days, and stored responses after 24 hours. */
export function forget(account: Account): void {
  account.transact(() => {
    const now = account.now();
    for (const event of account.rows("event"))
      if (event.created < now - eventLifetime && event.pending_webhooks === 0) account.remove("event", event.id);
    for (const replay of account.rows("replay")) if (replay.expires <= now) account.remove("replay", replay.id);
  });
}

function perform(account: Account, task: Task): void {
  switch (task.do) {
    case "renew":
      return renew(account, task.subscription);
    case "cancel":
      return cancelAsScheduled(account, task.subscription);
    case "announce_trial_end":
      return announceTrialEnd(account, task.subscription);
    case "expire": {
      const subscription = account.get("subscription", task.subscription);
      return subscription?.status === "incomplete" ? expire(account, subscription) : undefined;
    }
    case "expire_update":
      return expireIfDue(account, task.subscription);
    case "retry":
      return retry(account, task.invoice);
    case "start_phase":
      return startDuePhase(account, task.schedule);
    case "release":
      return completeIfDue(account, task.schedule);
    case "expire_session":
      return expireIfOpen(account, task.session);
    case "settle_charge":
      return settleCharge(account, task.charge, task.status);
    case "settle":
      return settleIfStill(account, task.refund, task.status);
    case "dispute":
      return void dispute(account, task.charge, task.status);
  }
}
