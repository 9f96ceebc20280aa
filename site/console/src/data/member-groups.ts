import type { Member, Odis } from "./odis.ts";

const shipped = { access: true, requires_shipping_address: true } as const;

/** Groups of members that an owner looks for: their names, and the filters of the list that find them. */
export const groups = {
  access: { text: "Has access", filters: { access: true } },
  overdue: { text: "Overdue", filters: { access: true, status: "past_due" } },
  leaving: { text: "Leaving", filters: { is_canceling: true } },
  no_address: { text: "No address", filters: { ...shipped, has_shipping_address: false } },
  ready: { text: "Ready to ship", filters: { ...shipped, has_shipping_address: true } },
  no_access: { text: "No access", filters: { access: false } },
} as const;

export type GroupName = keyof typeof groups;
export const groupNames = Object.keys(groups) as GroupName[];

/** The members of a group, or the newest 100 of them. */
export type Group = {
  readonly members: readonly Member[];
  /** Number of members. The number of those read, if the API does not count them and there are more. */
  readonly count: number;
  readonly isMore: boolean;
};

/** Reads up to `per` members of a group, with the number of all of them. */
export async function readGroup(
  odis: Odis,
  communityId: number,
  group: GroupName,
  { signal, per = 100 }: { readonly signal: AbortSignal; readonly per?: number },
): Promise<Group> {
  const members: Member[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await odis.get("/odis/v1/communities/{community_id}/members", {
      params: {
        path: { community_id: communityId },
        query: { ...groups[group].filters, per, ...(cursor !== undefined && { cursor }) },
      },
      signal,
    });
    members.push(...page.data);
    const isWhole = page.next_cursor === null;
    if (isWhole || members.length >= per) {
      const count = isWhole ? members.length : (page.total ?? members.length);
      return { members, count, isMore: !isWhole && page.total === null };
    }
    cursor = page.next_cursor ?? undefined;
  }
}
