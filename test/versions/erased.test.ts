import { expect, it } from "vitest";
import { erasing } from "../../functions/users/erase.ts";
import { restore } from "../support/copies.ts";
import { itemsAt } from "../support/money/marked.ts";
import { startMoney } from "../support/money.ts";
import { current, itemsOf, released, timeOf } from "./items.ts";

const money = startMoney();

/** A text that every personal text of one person in the items of a release contains. */
const isPersonal = (item: object) => /sentinel/i.test(JSON.stringify(item));

it.each([...Object.keys(released), current])(
  "an erasure removes all personal text of a person from the items of %s",
  async (release) => {
    const { user: users = [], ...others } = itemsOf(release);
    const items = [...users, ...Object.values(others).flat()];
    await restore(money.client, money.name, items);
    const person = users.find(isPersonal);
    const now = timeOf(items);
    const later = new Date(now.getTime() + 48 * 60 * 60 * 1000);
    expect((await itemsAt(money, later)).filter(isPersonal).length).toBeGreaterThan(12);

    const request = { params: { id: person?.id }, body: { dry_run: false } };
    const erased = await money.call(erasing(money.outside), request, money.platform({ now: () => now }));
    expect(erased).toMatchObject({ status: 200, body: { erased: true } });
    expect((await itemsAt(money, later)).filter(isPersonal)).toEqual([]);
  },
);
