import { randomUUID } from "node:crypto";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Brand } from "#lib/domain/brand.ts";
import type { Endpoint } from "#lib/http/handler.ts";
import * as brands from "#lib/store/brands.ts";
import { keys } from "#lib/store/keys.ts";
import { connect, documents } from "#lib/store/table.ts";
import { handler as list } from "../../../functions/brands/list.ts";
import { handler as remove } from "../../../functions/brands/remove.ts";
import { handler as show } from "../../../functions/brands/show.ts";
import { handler as update } from "../../../functions/brands/update.ts";
import { editor } from "../../support/api.ts";
import { invoke, startTable } from "../../support/direct.ts";
import { givenBy } from "../../support/given.ts";
import { clientTimeouts } from "../../support/table.ts";
import { inTurns } from "../../support/turns.ts";

const test = startTable();

const writers = 3;
let clients: readonly DynamoDBDocumentClient[];
let take: ReturnType<typeof inTurns>;
beforeAll(() => {
  clients = Array.from({ length: writers }, () => documents(clientTimeouts));
  take = inTurns(clients);
});
afterAll(() => {
  for (const client of clients) client.destroy();
});

/** What a writer does to the brand through one of four producers. Producers are given by their index. */
type Act = {
  readonly via: number;
  readonly name?: string;
  readonly links?: readonly number[];
  readonly removes?: true;
};

const producerCount = 4;
const place = fc.nat({ max: producerCount - 1 });
const links = fc.uniqueArray(place, { minLength: 1 });
const name = fc.string({ minLength: 1, maxLength: 20 }).map((text) => `Renamed ${text}`.trim());
const rename = fc.record({ via: place, name });
const relink = fc.record({ via: place, links });
const removal = fc.record({ via: place, removes: fc.constant(true as const) });
const anything: fc.Arbitrary<Act> = fc.oneof(rename, relink, fc.record({ via: place, name, links }), removal);
/** The order in which the calls of the writers proceed: at each turn, the number of a waiting call. */
const turns = fc.array(fc.nat({ max: 11 }), { minLength: 40, maxLength: 40 });

/** Creates a brand under new producers, lets its writers act concurrently in these turns, and returns their statuses. */
async function race(linked: readonly number[], acts: readonly Act[], whose: readonly number[]) {
  const producers = Array.from({ length: producerCount }, () => randomUUID()).toSorted();
  const at = (places: readonly number[]) => places.map((n) => producers[n] ?? "").toSorted();
  const { id } = await brands.add(test.table, { name: "Original", producer_ids: at(linked) }, givenBy(new Date(0)));

  const writing = acts.map((act, writer) => async () => {
    const platform = test.platform({ table: connect(clients[writer], test.table.name) });
    const brand = { name: act.name, producer_ids: act.links && at(act.links) };
    const params = { producer_id: producers[act.via], id };
    return invoke(act.removes ? remove : update, platform, { params, as: editor, body: { brand } });
  });
  let turn = 0;
  const answers = await take((waiting) => (whose[turn++ % whose.length] ?? 0) % waiting, writing);
  return { brand: await agreed(id, producers), statuses: answers.map(({ status }) => status), at };
}

/** The brand, or undefined if it was removed. Fails if two of its copies differ. */
async function agreed(id: string, producers: readonly string[]): Promise<Brand | undefined> {
  const places = [keys.brand(id), ...producers.map((producer_id) => keys.brandOfProducer(producer_id, id))];
  const [item, ...copies] = await Promise.all(places.map((key) => test.table.get(key)));
  const shown = await Promise.all(producers.map((producer_id) => read(show, { producer_id, id })));
  const listed = await Promise.all(producers.map((producer_id) => read(list, { producer_id })));

  const brand = shown.find(({ status }) => status === 200)?.body as Brand | undefined;
  expect(item === undefined).toBe(brand === undefined);
  for (const [n, producer_id] of producers.entries()) {
    const isLinked = brand?.producer_ids.includes(producer_id) ?? false;
    expect(shown[n]).toMatchObject(isLinked ? { status: 200, body: brand } : { status: 404 });
    expect(listed[n]?.body).toMatchObject({ total: isLinked ? 1 : 0, data: isLinked ? [brand] : [] });
    expect(copies[n]).toEqual(isLinked ? { ...item, ...keys.brandOfProducer(producer_id, id) } : undefined);
  }
  return brand;
}

const read = (endpoint: Endpoint, params: Record<string, string>) =>
  invoke(endpoint, test.platform(), { params, as: editor });

describe("writers of one brand at the same moment", () => {
  it("of a concurrent rename and relink of a brand, both take effect", async () => {
    await fc.assert(
      fc.asyncProperty(links, rename, relink, turns, async (linked, renaming, relinking, whose) => {
        const through = ({ via }: Act) => linked[via % linked.length] ?? 0;
        const acts = [renaming, relinking].map((act) => ({ ...act, via: through(act) }));
        const { brand, statuses, at } = await race(linked, acts, whose);

        const cameLate = statuses[0] === 404 && !relinking.links.includes(through(renaming));
        expect(statuses).toEqual([cameLate ? 404 : 200, 200]);
        expect(brand).toMatchObject({
          name: cameLate ? "Original" : renaming.name,
          producer_ids: at(relinking.links),
        });
      }),
      { numRuns: 80 },
    );
  });

  it("all copies of a brand are equal after any concurrent renames, relinks and removals", async () => {
    const acts = fc.array(anything, { minLength: 2, maxLength: writers });
    await fc.assert(
      fc.asyncProperty(links, acts, turns, async (linked, all, whose) => {
        const { brand, statuses } = await race(linked, all, whose);
        for (const status of statuses) expect([200, 204, 404]).toContain(status);
        expect(brand === undefined).toBe(statuses.includes(204));
      }),
      { numRuns: 60 },
    );
  });
});
