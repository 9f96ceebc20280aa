import { keys, lastIdOf } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as communityActivity } from "../../../functions/communities/activity.ts";
import { handler as activity } from "../../../functions/members/activity.ts";
import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import { handler as show } from "../../../functions/members/show.ts";
import { handler as update } from "../../../functions/members/update.ts";
import { admin, Scene } from "../actors/scene.ts";
import { walk } from "../actors/walks.ts";
import { communitiesOf, membersOf, ofKind, tiersOf } from "../world/records.ts";
import { isOk } from "../world/requests.ts";
import type { World } from "../world/world.ts";
import { isOfMember } from "./audit.ts";

/** Every list can be read to its end, and returns each record once. */
export async function assertLists(world: World): Promise<void> {
  const scene = new Scene(world, `lists at ${world.timeline.now}`);
  for (const { id } of communitiesOf(world)) {
    const all = membersOf(world).filter(({ community_id }) => community_id === id);
    const [someone] = all;
    if (!someone) continue;
    const ships = new Map(tiersOf(world).map((tier) => [tier.id, tier.requires_shipping_address]));
    const parcel = { access: hasAccess(someone), ships: ships.get(someone.tier_id), address: hasAddress(someone) };
    const filters: [string, (one: StoredMember) => boolean][] = [
      ["per=2", () => true],
      ["per=3&sort=created_at", () => true],
      [`per=2&status=${someone.status}`, ({ status }) => status === someone.status],
      [`per=2&tier_id=${someone.tier_id}`, ({ tier_id }) => tier_id === someone.tier_id],
      [`per=2&is_blocked=${someone.is_blocked}`, ({ is_blocked }) => is_blocked === someone.is_blocked],
      [
        `per=1&status=${someone.status}&tier_id=${someone.tier_id}`,
        ({ status, tier_id }) => status === someone.status && tier_id === someone.tier_id,
      ],
      [`per=2&access=${parcel.access}`, (one) => hasAccess(one) === parcel.access],
      ["per=2&is_canceling=true", (one) => hasAccess(one) && (one.cancel_at_period_end || one.cancel_at !== null)],
      [`per=2&has_shipping_address=${parcel.address}`, (one) => hasAddress(one) === parcel.address],
      [`per=2&requires_shipping_address=${parcel.ships}`, (one) => ships.get(one.tier_id) === parcel.ships],
      [
        `per=1&access=${parcel.access}&requires_shipping_address=${parcel.ships}&has_shipping_address=${parcel.address}`,
        (one) =>
          hasAccess(one) === parcel.access &&
          ships.get(one.tier_id) === parcel.ships &&
          hasAddress(one) === parcel.address,
      ],
    ];
    for (const [query, isWanted] of filters) {
      const seen = await walk(scene, admin, id, query);
      const wanted = all.filter(isWanted).map((one) => one.id);
      if (!seen || idsOf(seen) !== idsOf(wanted))
        world.violate("lists", `${query} shows members ${seen?.join() ?? "not at all"}, not ${wanted.join()}`);
    }
    await assertActivityOf(scene, id, new Set(all.map((one) => one.id)));
    await assertRecords(scene, all.slice(0, 3));
  }
}

type ActivityPage = {
  readonly data: readonly { readonly id: number; readonly record: { readonly type: string; readonly id: number } }[];
  readonly next_cursor: string | null;
};

/** The activity of a community lists each of its own entries once, and exactly what people and keys did to its members. */
async function assertActivityOf(scene: Scene, communityId: number, memberIds: ReadonlySet<number>): Promise<void> {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const call = { as: admin, params: { id: communityId }, query: `per=7${after}` };
    const outcome = await scene.send(communityActivity, call);
    if (!isOk(outcome)) return scene.world.violate("lists", `the activity of ${communityId} answers ${outcome.status}`);
    const page = outcome.body as unknown as ActivityPage;
    seen.push(...page.data.map(({ id, record }) => `${record.type === "member" ? record.id : "community"} ${id}`));
    cursor = page.next_cursor;
  } while (cursor !== null && seen.length < 5000);
  const wanted = ofKind(scene.world, "activity").flatMap((entry) => {
    if (entry.pk === keys.communityActivity(communityId, 0).pk) return [`community ${String(entry.id)}`];
    const memberId = lastIdOf({ sk: entry.pk });
    const { type } = entry.actor as { readonly type: string };
    const isDone = ["user", "api_key"].includes(type) && entry.action !== "imported";
    return isOfMember(entry) && memberIds.has(memberId) && isDone ? [`${memberId} ${String(entry.id)}`] : [];
  });
  if (seen.toSorted().join() !== wanted.toSorted().join())
    scene.world.violate("lists", `the activity of ${communityId} has ${seen.join()}, not ${wanted.join()}`);
}

const hasAccess = ({ status, is_blocked, erased_at }: StoredMember): boolean =>
  ["active", "trialing", "past_due"].includes(status) && !is_blocked && erased_at === undefined;

const hasAddress = ({ shipping_address, erased_at }: StoredMember): boolean =>
  shipping_address !== null && erased_at === undefined;

const idsOf = (ids: readonly number[]): string => ids.toSorted((a, b) => a - b).join();

/** The ETag of a record is stable while nobody changes the record, and a write with it succeeds. */
async function assertRecords(scene: Scene, members: ReturnType<typeof membersOf>): Promise<void> {
  const { world } = scene;
  for (const { id, community_id } of members) {
    const call = { as: admin, params: { community_id, id } };
    const [first, second] = [await scene.send(show, call), await scene.send(show, call)];
    if (!isOk(first)) world.violate("lists", `member ${id} cannot be shown: ${first.status}`);
    if (first.headers.etag !== second.headers.etag) world.violate("tags", `member ${id} has two tags without a change`);
    const body = { member: { metadata: { notes: scene.name } } };
    const headers = { "if-match": String(second.headers.etag) };
    const written = await scene.send(update, { ...call, body, headers });
    world.acknowledged.write({ kind: "member", id, field: "notes" }, scene.name, written);
    if (written.status === 412) world.violate("tags", `member ${id} is stale although nobody has changed it`);
    for (const handler of [activity, paymentHistory]) {
      const outcome = await scene.send(handler, { ...call, query: "per=3" });
      if (outcome.status >= 500) world.violate("lists", `${handler.route.path} answers ${outcome.status}`);
    }
  }
}
