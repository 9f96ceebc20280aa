import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type Key, type Kind, keys, kindOf, prefixOf } from "#lib/store/keys.ts";

const uuid = "6f1d9b0e-3c1a-4c55-9a44-0c3a1c2f7aff";

/** A key of each kind, and keys of other items, which have no kind. */
const cases: readonly (readonly [Key, Kind | undefined])[] = [
  [keys.community(1), "community"],
  [keys.stats(1), undefined],
  [keys.tier(1, 2), "tier"],
  [keys.tierParent(2), undefined],
  [keys.benefit(1, 2), "benefit"],
  [keys.benefitParent(2), undefined],
  [keys.member(1, 2), "member"],
  [keys.memberSearch(1, "member#ana", 2), undefined],
  [keys.movement(1, 2, "2026-01-01T00:00:00.000Z", 3), "movement"],
  [keys.listedMovement(1, 2, "2026-01-01T00:00:00.000Z", 3), "listedMovement"],
  [keys.sums(1, "2026-01-01"), undefined],
  [keys.sums(1, "2026-01"), undefined],
  [keys.memberParent(2), "memberParent"],
  [keys.barrier(1), "barrier"],
  [keys.operation(2, "op_1"), "operation"],
  [keys.refund(2, "2026-01-01T00:00:00.000Z", "re_1"), "refund"],
  [keys.activity(2, 3), "activity"],
  [keys.communityActivity(1, 3), "activity"],
  [keys.brandActivity(uuid, 3), "activity"],
  [keys.openOperation("2026-01-01T00:00:00.000Z", "op_1"), undefined],
  [keys.due("2026-01-01", 1, 2), undefined],
  [keys.membership(3, 1), "membership"],
  [keys.customerOf(3, 1), "customerOf"],
  [keys.user(3), "user"],
  [keys.ownedCommunity(3, 1), "ownedCommunity"],
  [keys.erasure(3), "erasure"],
  [keys.openErasure("2026-01-01", 3), undefined],
  [keys.subject("s"), undefined],
  [keys.mailboxProof("s"), undefined],
  [keys.adminAccess("s"), undefined],
  [keys.email("ana@example.com"), undefined],
  [keys.brand(uuid), "brand"],
  [keys.brandOfProducer(uuid, uuid), "brandOfProducer"],
  [keys.directoryRow(1, 1), undefined],
  [keys.streamRecord("1"), undefined],
];

it.each(cases)("the kind of the item with key %j is %s", (key, kind) => {
  expect(kindOf(key)).toBe(kind);
  if (kind) expect([key.pk, key.sk]).toEqual([startingWith(prefixOf(kind).pk), startingWith(prefixOf(kind).sk)]);
});

it("no file except keys.ts and kinds.ts contains a key prefix", () => {
  const prefix =
    /(?<!subscriptionType: )["'`](?:COMMUNITY|TIER|BENEFIT|MEMBER|OPERATION|REFUND|ACTIVITY|MEMBERSHIP|MOVEMENT|DAY|MONTH|BRAND|PRODUCER|STATS|BARRIER|DIRECTORY|STRIPE|STREAM|SLUG|USER|SUB|EMAIL|DUE|USAGE|IDEMPOTENCY|ERASURE|OWNED)S?(?:#|["'`])/;
  const files = globSync("{lib,functions,infra}/**/*.ts").filter(
    (file) => file !== "lib/store/keys.ts" && file !== "lib/store/kinds.ts",
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => prefix.test(readFileSync(file, "utf8")))).toEqual([]);
});

const startingWith = (prefix: string): unknown => expect.stringMatching(new RegExp(`^${prefix}`));
