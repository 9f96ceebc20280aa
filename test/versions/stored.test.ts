import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { machine } from "#lib/runtime.ts";
import type { Item } from "#lib/store/expression.ts";
import type { ItemKind, Key } from "#lib/store/keys.ts";
import { connect, type Writer } from "#lib/store/table.ts";
import { restore } from "../support/copies.ts";
import { startTable } from "../support/direct.ts";
import { current, itemsOf, released, timeOf } from "./items.ts";
import { uses } from "./uses.ts";

const test = startTable();

/** An attribute that this version does not know. */
const later = { from_a_later_release: "kept" };

/** Kinds whose items had other keys in a release. This version never reads the old items. */
const former: Readonly<Record<string, readonly string[]>> = { "1.0.0": ["due", "usage"] };

/** Returns the items of a release that this version can read, with their kinds. */
const storedBy = (release: string): [ItemKind, Key & Item][] =>
  Object.entries(itemsOf(release))
    .filter(([kind]) => !former[release]?.includes(kind))
    .flatMap(([kind, items]) => items.map((item): [ItemKind, Key & Item] => [kind as ItemKind, { ...item, ...later }]));

describe.each([...Object.keys(released), current])("items of %s", (release) => {
  const stored = storedBy(release);
  let table: Writer;
  beforeAll(async () => {
    const items = stored.map(([, item]) => item);
    table = connect(test.client, test.name, { ...machine, now: () => timeOf(items) })();
    await restore(test.client, test.name, items);
  });

  it(`every kind of item of ${release} can be read`, async () => {
    const unread: unknown[] = [];
    for (const [kind, item] of stored) {
      try {
        const read = await uses[kind].read(table, item);
        if (read === undefined || read === false) unread.push([kind, item]);
      } catch (error) {
        unread.push([kind, item, error]);
      }
    }
    expect(unread).toEqual([]);
  });

  it(`an attribute of a later version is preserved by each change of an item of ${release}`, async () => {
    const lost: unknown[] = [];
    const unchanged = new Set(stored.map(([kind]) => kind).filter((kind) => typeof uses[kind].change === "function"));
    for (const [kind, item] of stored) {
      const { change } = uses[kind];
      if (typeof change === "string") continue;
      const before = await table.get({ pk: item.pk, sk: item.sk });
      await change(table, item).catch((error: unknown) => lost.push([kind, item, error]));
      if (!isDeepStrictEqual(await table.get({ pk: item.pk, sk: item.sk }), before)) unchanged.delete(kind);
    }
    for (const [kind, item] of stored) {
      const now = await table.get({ pk: item.pk, sk: item.sk });
      if (now && uses[kind].change !== "whole" && now.from_a_later_release !== "kept") lost.push([kind, now]);
    }
    expect({ lost, unchanged: [...unchanged] }).toEqual({ lost: [], unchanged: [] });
  });
});
