import { handler as createPortal } from "../../../functions/checkout/create-portal-session.ts";
import { handler as createSession } from "../../../functions/checkout/create-session.ts";
import { handler as showCommunity } from "../../../functions/communities/show.ts";
import { handler as cancel } from "../../../functions/membership/cancel-subscription.ts";
import { handler as paymentHistory } from "../../../functions/membership/payment-history.ts";
import { handler as showMembership } from "../../../functions/membership/show.ts";
import { handler as uncancel } from "../../../functions/membership/uncancel-subscription.ts";
import { handler as dropChange } from "../../../functions/subscriptions/drop-own-scheduled-change.ts";
import { handler as listTiers } from "../../../functions/tiers/list.ts";
import { atStripe, openSessions } from "../world/dashboard.ts";
import type { Repertoire } from "./act.ts";
import { changeOwnPlan, payChange, thinkAgain } from "./own-changes.ts";
import { actLike, origin, type Scene } from "./scene.ts";

/** @returns the session's id */
export async function openCheckout(scene: Scene, person = scene.person()): Promise<string | undefined> {
  const community = scene.community();
  const tier = scene.tier(community.id);
  if (!tier) return undefined;
  const interval = scene.chance.is(0.25) ? "year" : "month";
  const { body } = await scene.call(createSession, {
    as: { id: person },
    params: { community_id: community.id },
    body: { tier_id: tier.id, interval, success_url: `${origin}/yes`, cancel_url: `${origin}/no` },
  });
  return typeof body.id === "string" ? body.id : undefined;
}

/** Joins and pays immediately. */
export async function enroll(scene: Scene, person: number): Promise<void> {
  const session = await openCheckout(scene, person);
  if (session !== undefined) await complete(scene, session);
}

async function completeCheckout(scene: Scene): Promise<void> {
  const session = scene.pick(openSessions(scene.world));
  if (session) await complete(scene, session.id);
}

/** Completes a checkout on its page if the checkout is still open. */
export async function complete(scene: Scene, session: string): Promise<void> {
  const { world, chance, name } = scene;
  const address = { line1: `${name} Street`, city: "Oaxaca", state: "OAX", postal_code: "68000", country: "MX" };
  const shipping = { name: "Ana", address };
  const decline = chance.is(0.15);
  const outcome = await actLike("members.completeCheckout", scene, () =>
    atStripe(world, `checkout/${session}/complete`, { shipping, decline }),
  );
  world.journal.note(`checkout ${session} completed: ${outcome}`);
}

/** Starts a checkout and pays immediately, as most people do. */
async function join(scene: Scene): Promise<void> {
  const session = await openCheckout(scene);
  await scene.world.timeline.wait(scene.chance.next() * 60_000);
  if (session !== undefined) await complete(scene, session);
}

/** The caller and path of a request about the caller's own membership. Not everybody has one. */
function own(scene: Scene, member = scene.member()) {
  const { user, community_id } = member ?? { user: { id: scene.person() }, community_id: scene.community().id };
  return { as: { id: user.id }, params: { community_id } };
}

/** Somebody cancels and stays in turn, and asks for the opposite even if the answer before was lost. */
async function changeMind(scene: Scene): Promise<void> {
  const given = own(scene);
  for (let n = 0; n < 4; n++) {
    if (n % 2 === 0) await scene.send(cancel, { ...given, body: { mode: "at_period_end" } });
    else await scene.send(uncancel, { ...given, body: {} });
    await scene.world.timeline.wait(10_000 + scene.chance.next() * 60_000);
  }
}

const ownFilter = "filter=my_communities";
const filters = ["filter=all", "filter=trending", ownFilter, "query=a&per=2", "per=1&page=2", ""];

/** A comment, sometimes like that of a subscription that Odis has rejected. */
const commentOf = ({ chance, name }: Scene) => (chance.is(0.2) ? `Rejected by Odis: ${name}` : name);

export const members: Repertoire = {
  weight: 22,
  acts: {
    openCheckout: [4, (scene) => openCheckout(scene)],
    completeCheckout: [5, completeCheckout],
    failCheckout: [
      1,
      async (scene) => {
        const session = scene.pick(openSessions(scene.world));
        if (session) await atStripe(scene.world, `checkout/${session.id}/complete`, { decline: true });
      },
    ],
    join: [10, join],
    openPortal: [
      3,
      async (scene) => {
        const member = scene.member();
        if (!member) return;
        const call = { as: { id: member.user.id }, params: { community_id: member.community_id } };
        await scene.call(createPortal, { ...call, body: { return_url: `${origin}/account` } });
      },
    ],
    cancelOwn: [
      2,
      async (scene) => {
        const mode = scene.chance.pick(["at_period_end", "at_period_end", "immediately"]);
        const reason = scene.chance.is(0.7) && { feedback: "unused", comment: commentOf(scene) };
        await scene.call(cancel, { ...own(scene), body: { mode, ...reason } });
      },
    ],
    uncancelOwn: [2, (scene) => scene.call(uncancel, { ...own(scene), body: {} })],
    changeMind: [2, changeMind],
    changeOwn: [5, changeOwnPlan],
    payChange: [3, payChange],
    thinkAgain: [2, thinkAgain],
    dropOwnChange: [2, (scene) => scene.call(dropChange, own(scene, scene.changing()))],
    ownPayments: [2, (scene) => scene.call(paymentHistory, { ...own(scene), query: "per=2" })],
    showMembership: [
      5,
      async (scene) => {
        const as = { id: scene.person() };
        const { id } = scene.community();
        await scene.call(showMembership, { as, params: { community_id: id } });
        await scene.call(showCommunity, { as, params: { id } });
        await scene.call(listTiers, { as, params: { community_id: id }, query: "status=all&per=2" });
      },
    ],
    keepExploring: [
      5,
      async (scene) => {
        const place = scene.chance.integer(0, 2);
        for (let n = 0; n < 8; n++) {
          await scene.sendTo(place, "explore", { query: "per=5" });
          await scene.world.timeline.wait(scene.chance.next() * 6000);
        }
      },
    ],
    explore: [
      5,
      async (scene) => {
        const as = { id: scene.person() };
        const isOwn = scene.subject() !== undefined && scene.chance.is(0.6);
        await scene.send("explore", { as, query: isOwn ? ownFilter : (scene.chance.pick(filters) ?? "") });
      },
    ],
  },
};
