import { handler as movements } from "../../../functions/communities/movements.ts";
import { handler as transactions } from "../../../functions/communities/transactions.ts";
import { handler as activity } from "../../../functions/members/activity.ts";
import { handler as cancel } from "../../../functions/members/cancel-subscription.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as list } from "../../../functions/members/list.ts";
import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import { handler as refundCharge } from "../../../functions/members/refund-charge.ts";
import { handler as show } from "../../../functions/members/show.ts";
import { handler as details } from "../../../functions/members/subscription-details.ts";
import { handler as uncancel } from "../../../functions/members/uncancel-subscription.ts";
import { handler as change } from "../../../functions/subscriptions/change.ts";
import { handler as dropChange } from "../../../functions/subscriptions/drop-scheduled-change.ts";
import { chargesOf } from "../world/dashboard.ts";
import type { Act, Repertoire } from "./act.ts";
import { type Managed, setBlock } from "./blocking.ts";
import { editMember } from "./editing.ts";
import { hurry } from "./hurry.ts";
import { anotherPlan } from "./own-changes.ts";
import type { Scene } from "./scene.ts";
import { stampede } from "./stampedes.ts";
import { walkMembers } from "./walks.ts";

/** Runs an act with a member, if there is one. */
const withMember =
  (act: (scene: Scene, managed: Managed) => Promise<unknown>): Act =>
  async (scene) => {
    const managed = scene.managed();
    if (managed) await act(scene, managed);
  };

const terms = ({ chance, name }: Scene) => ({
  ...(chance.is(0.7) && { amount_cents: chance.integer(1, 3000) }),
  ...(chance.is(0.3) && { reason: chance.pick(["duplicate", "fraudulent"]) }),
  note: `refund of ${name}`,
});

export const ownersOfMembers: Repertoire = {
  weight: 30,
  acts: {
    edit: [14, editMember],
    stampede: [0.2, stampede],
    hurry: [0.8, hurry],
    block: [4, withMember((scene, managed) => setBlock(scene, managed, true))],
    unblock: [4, withMember((scene, managed) => setBlock(scene, managed, false))],
    cancel: [
      4,
      withMember((scene, { as, params }) => {
        const mode = scene.chance.pick(["at_period_end", "at_period_end", "immediately"]);
        return scene.call(cancel, { as, params, body: { mode, comment: scene.name } });
      }),
    ],
    uncancel: [3, withMember((scene, { as, params }) => scene.call(uncancel, { as, params, body: {} }))],
    change: [
      4,
      withMember((scene, { as, params, member }) => {
        const dry_run = scene.chance.is(0.15);
        return scene.call(change, { as, params, body: { ...anotherPlan(scene, member), dry_run } });
      }),
    ],
    dropChange: [
      2,
      async (scene) => {
        const managed = scene.managed(scene.changing());
        if (managed) await scene.call(dropChange, { as: managed.as, params: managed.params });
      },
    ],
    issueRefund: [
      6,
      withMember((scene, { as, params }) => scene.call(issueRefund, { as, params, body: terms(scene) })),
    ],
    refundCharge: [
      4,
      withMember((scene, { as, params, member }) => {
        const charges = chargesOf(scene.world, member.stripe_customer_id);
        const charge_id = scene.pick(charges)?.id ?? "ch_unknown";
        return scene.call(refundCharge, { as, params, body: { charge_id, ...terms(scene) } });
      }),
    ],
    show: [4, withMember((scene, { as, params }) => scene.call(show, { as, params }))],
    history: [
      2,
      withMember(async (scene, { as, params }) => {
        await scene.call(paymentHistory, { as, params, query: "per=2" });
        await scene.call(transactions, { as, params: { community_id: params.community_id }, query: "per=3" });
        await scene.call(movements, { as, params: { community_id: params.community_id }, query: "per=3" });
      }),
    ],
    details: [3, withMember((scene, { as, params }) => scene.call(details, { as, params }))],
    activity: [2, withMember((scene, { as, params }) => scene.call(activity, { as, params, query: "per=3" }))],
    walk: [3, walkMembers],
    csv: [
      1,
      async (scene) => {
        const community = scene.community();
        const headers = { accept: "text/csv" };
        await scene.call(list, { as: scene.manager(community), params: { community_id: community.id }, headers });
      },
    ],
  },
};
