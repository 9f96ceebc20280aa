import { type Right, rights } from "../../../../lib/auth/rights.ts";
import { useSession } from "../session.tsx";
import type { Me } from "./odis.ts";

/** A right that a role can have, or `owner` for what only the owner and admins may do. */
export type ConsoleRight = Right | "owner";

/** What the person may do in a community: everything as its owner or an admin, otherwise what their role allows. */
export function useRights(communityId: number | undefined): (right: ConsoleRight) => boolean {
  const { me } = useSession();
  const role = me?.teams.find(({ community }) => community.id === communityId)?.role;
  // The API decides. Somebody without a known role sees everything, because lists of communities are limited.
  if (role === undefined || me?.groups.includes("admin")) return () => true;
  return (right) => right !== "owner" && (rights[right] as readonly string[]).includes(role);
}

/** Whether the person is known to have no right in a community: their lists of communities are complete, and do not have it. */
export const isStrangerIn = (me: Me, communityId: number): boolean =>
  !me.groups.includes("admin") &&
  !me.owned_communities_has_more &&
  !me.teams_has_more &&
  ![...me.owned_communities, ...me.teams.map(({ community }) => community)].some(({ id }) => id === communityId);
