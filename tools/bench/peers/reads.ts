import type { MemberListQuery } from "../../../lib/domain/member-list.ts";
import * as benefits from "../../../lib/store/benefits.ts";
import * as communities from "../../../lib/store/communities.ts";
import type { StoredMember } from "../../../lib/store/members/item.ts";
import * as memberList from "../../../lib/store/members/list.ts";
import * as members from "../../../lib/store/members/members.ts";
import type { CommunityWithBenefits, OpenCommunity } from "../../../lib/store/open-community.ts";
import type { Reader } from "../../../lib/store/table.ts";

/** The reads of the three routes. */
export type Reads = {
  /** Throws `not_found`. */
  readonly community: (id: number) => Promise<OpenCommunity>;
  /** Throws `not_found`. */
  readonly communityWithBenefits: (id: number) => Promise<CommunityWithBenefits>;
  readonly member: (communityId: number, id: number) => Promise<StoredMember | undefined>;
  readonly members: (
    communityId: number,
    query: MemberListQuery,
  ) => Promise<{ readonly members: readonly StoredMember[]; readonly next_cursor: string | null }>;
};

/** The reads of Odis (`lib/store`). */
export const storeReads = (table: Reader): Reads => ({
  community: (id) => communities.open(table, id),
  communityWithBenefits: (id) => benefits.open(table, id),
  member: (communityId, id) => members.find(table, communityId, id),
  members: (communityId, query) => memberList.list(table, communityId, query),
});
