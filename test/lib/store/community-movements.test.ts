import { beforeAll, expect, it, vi } from "vitest";
import type { Movement, MovementQuery } from "#lib/domain/movement-list.ts";
import { list } from "#lib/store/community-movements.ts";
import { keys } from "#lib/store/keys.ts";
import { putMovement } from "#lib/store/members/movements.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";
import { everyPage } from "../../support/every-page.ts";
import { aCommunity, aMember } from "../../support/given.ts";

vi.stubEnv("CURSOR_KEY", "a key");
const test = startTable();

const community = 4711;
const start = Date.parse("2026-09-20T00:00:00.000Z");
/** Several members move at the same time, and one member moves twice. */
const timeOf = (n: number) => new Date(start + Math.floor(n / 4) * 6 * 3_600_000).toISOString();
const monthly = { before_cents: 0, after_cents: 833 + 4 / 12, kind: "new" } as const;

beforeAll(async () => {
  for (let n = 0; n < 60; n++) {
    const access = (["begun", "ended", null] as const)[n % 3] ?? null;
    const moved = {
      member_id: 100 + (n % 2),
      at: timeOf(n),
      access,
      monthly: n % 3 === 2 || n % 4 === 0 ? monthly : null,
    };
    await write(test.table, putMovement(community, moved, n));
  }
  const elsewhere = { member_id: 900, at: timeOf(1), access: "begun", monthly: null } as const;
  await write(test.table, putMovement(community + 1, elsewhere, 1));
});

/** All movements that match, page by page. */
const matching = (query: Omit<MovementQuery, "per" | "cursor">, per: number): Promise<Movement[]> =>
  everyPage((cursor) => list(test.table, community, { ...query, per, cursor }));

it("all movements are listed once and newest first, and each filter selects those that match, whatever the size of a page", async () => {
  const all = await matching({}, 100);
  const times = all.map(({ at }) => at);
  expect(all).toHaveLength(60);
  expect(times).toEqual(times.toSorted().toReversed());
  const queries: Omit<MovementQuery, "per" | "cursor">[] = [
    {},
    { access: "begun" },
    { access: "ended", from: "2026-09-22" },
    { kind: "new" },
    { kind: "churned" },
    { access: "begun", kind: "new", to: "2026-09-22" },
    { from: "2026-09-21", to: "2026-09-21" },
    { to: "2026-09-19" },
    { from: "2999-01-01" },
  ];
  for (const query of queries)
    for (const per of [1, 3, 7, 100])
      expect(await matching(query, per)).toEqual(
        all.filter(
          ({ at, access, monthly: amount }) =>
            (query.access ?? access) === access &&
            (query.kind ?? amount?.kind) === amount?.kind &&
            at.slice(0, 10) >= (query.from ?? "") &&
            at.slice(0, 10) <= (query.to ?? "9"),
        ),
      );
});

it("a listed movement has monthly amounts in whole cents", async () => {
  const [movement] = await matching({ kind: "new" }, 1);
  expect(movement?.monthly).toEqual({ before_cents: 0, after_cents: 833, kind: "new" });
});

it("a cursor of other filters is refused", async () => {
  const { next_cursor } = await list(test.table, community, { per: 9, cursor: undefined });
  const other = list(test.table, community, { per: 9, access: "begun", cursor: next_cursor ?? "" });
  await expect(other).rejects.toMatchObject({ code: "invalid_cursor" });
});

it("the name of a listed member is the current one, and null once the member is erased or deleted", async () => {
  const place = await aCommunity(test.table);
  const [member, erased, deleted] = [
    await aMember(test.table, place),
    await aMember(test.table, place),
    await aMember(test.table, place),
  ];
  await write(test.table, [
    { update: keys.member(place.id, erased.id), set: { erased_at: timeOf(1) }, when: "exists" },
    { delete: keys.member(place.id, deleted.id) },
  ]);
  const { data } = await list(test.table, place.id, { per: 9, cursor: undefined });
  expect(new Map(data.map((movement) => [movement.member.id, movement.member.name]))).toEqual(
    new Map([
      [member.id, `${member.user.first_name} ${member.user.last_name}`],
      [erased.id, null],
      [deleted.id, null],
    ]),
  );
});
