import { isDeepStrictEqual } from "node:util";
import { handler as showMember } from "../../../functions/members/show.ts";
import { handler as showMembership } from "../../../functions/membership/show.ts";
import { admin, Scene } from "../actors/scene.ts";
import { communitiesOf, membersOf, ofKind } from "../world/records.ts";
import { isOk } from "../world/requests.ts";
import type { World } from "../world/world.ts";

const granting: readonly string[] = ["active", "trialing", "past_due"];

type Membership = { readonly is_member: boolean; readonly access: { readonly granted: boolean } };

/** Access depends only on status, block and ownership. Discovery returns the same. */
export async function assertAccess(world: World): Promise<void> {
  const scene = new Scene(world, `access at ${world.timeline.now}`);
  const members = membersOf(world);
  const communities = communitiesOf(world);
  const erased = new Set(ofKind(world, "erasure").map(({ user_id }) => user_id));
  for (const id of world.people.filter((one) => !erased.has(one))) {
    const expected = new Set<string>();
    for (const community of communities) {
      const member = members.find((one) => one.user.id === id && one.community_id === community.id);
      if (!member && community.owner_id !== id) continue;
      const isMember = member !== undefined && !member.is_blocked && granting.includes(member.status);
      if (isMember && community.status === "active") expected.add(community.uuid);
      const outcome = await scene.send(showMembership, { as: { id }, params: { community_id: community.id } });
      const { is_member, access } = outcome.body as unknown as Membership;
      const isGranted = isMember || community.owner_id === id;
      if (!isOk(outcome) || is_member !== isMember || access.granted !== isGranted)
        world.violate("access", `user ${id} is a ${member?.status} of ${community.id} and is told ${outcome.text}`);
      if (!member) continue;
      const params = { community_id: community.id, id: member.id };
      const { body: record } = await scene.send(showMember, { as: admin, params });
      const isSame = community.owner_id === id || isDeepStrictEqual(record.access, access);
      if (!isSame || (isMember && record.joined_at === null))
        world.violate("access", `member ${member.id} has ${JSON.stringify(record)}, and is told ${outcome.text}`);
    }
    const { body } = await scene.send("explore", { as: { id }, query: "filter=my_communities&per=100" });
    const shown = (body.data as { readonly id: string; readonly is_member: boolean }[] | undefined) ?? [];
    if (shown.length !== expected.size || shown.some((one) => !expected.has(one.id) || !one.is_member))
      world.violate("access", `discovery shows user ${id} ${shown.length} communities, not ${expected.size}`);
  }
}
