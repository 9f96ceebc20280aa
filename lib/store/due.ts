import * as v from "valibot";
import { Id } from "../domain/scalars.ts";
import { type Key, keys } from "./keys.ts";
import { fromItem, type StoredMember } from "./members/item.ts";
import type { Reader } from "./table.ts";

const Due = v.object({ community_id: Id, member_id: Id });

const day = 24 * 60 * 60 * 1000;

/** How many days back members are looked for. Stripe stops delivering an event after three. */
const daysBack = 7;

/** Members of Stripe whose billing period has ended, as far as our copy knows. */
export async function members(table: Reader, now: Date): Promise<StoredMember[]> {
  const days = Array.from({ length: daysBack + 1 }, (_, n) =>
    new Date(now.getTime() - n * day).toISOString().slice(0, 10),
  );
  const listed = (await Promise.all(days.map((on) => listedOn(table, on)))).flat();
  const items = await table.getAll(listed);
  return items.map(fromItem).filter(({ current_period_end, status, stripe_customer_id }) => {
    const isOver = current_period_end <= now.toISOString();
    return isOver && status !== "canceled" && stripe_customer_id !== null;
  });
}

async function listedOn(table: Reader, on: string): Promise<Key[]> {
  const { pk } = keys.due(on, 0, 0);
  const found: Key[] = [];
  let after: Key | undefined;
  do {
    const page = await table.query({ pk, after });
    for (const item of page.items) {
      const { community_id, member_id } = v.parse(Due, item);
      found.push(keys.member(community_id, member_id));
    }
    after = page.last;
  } while (after);
  return found;
}
