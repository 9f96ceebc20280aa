import type { Member, MemberUpdate } from "../data/odis.ts";
import { openedBy, type Versioned } from "../data/use-records.ts";
import { ifMatch, type WriteHeaders } from "../data/use-write.ts";
import type { Opened, Values } from "../parts/values.ts";
import { useOdis } from "../session.tsx";

/** A member with the version that the page shows. */
export type Shown = { readonly member: Member; readonly etag: string };

/** Properties of the cards on a member's page. */
export type MemberProps = Shown & {
  readonly communityId: number;
  /** Whether the member was imported and has no subscription in Stripe. */
  readonly isManual: boolean;
  /** Rereads the member and shows it. */
  readonly reread: () => Promise<Versioned<Member>>;
  /** Reloads everything about the member after a change. */
  readonly refresh: () => void;
};

/** Properties of the dialogs on a member's page. */
export type MemberDialogProps = MemberProps & { readonly onClose: () => void };

export const memberPath = "/odis/v1/communities/{community_id}/members/{id}" as const;
export const pathOf = ({ communityId, member }: Pick<MemberProps, "communityId" | "member">) => ({
  community_id: communityId,
  id: member.id,
});

/** The values with which a form about the member opens, and a function to reread them. */
export function opening(props: MemberProps, toValues: (member: Member) => Values = () => ({})) {
  const opened: Opened = { values: toValues(props.member), etag: props.etag };
  return { opened, reread: openedBy(props.reread, toValues) };
}

/** Changes the member. */
export function usePatch(props: MemberProps) {
  const odis = useOdis();
  return async (member: MemberUpdate["member"], headers: WriteHeaders): Promise<void> => {
    await odis.patch(memberPath, { params: { path: pathOf(props), header: ifMatch(headers) }, body: { member } });
  };
}
