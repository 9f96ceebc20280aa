import { assertHasRight } from "../../../lib/auth/policy.ts";
import type { Verify } from "../../../lib/auth/verify.ts";
import { bearerToken } from "../../../lib/auth/verify.ts";
import * as benefitRoutes from "../../../lib/contract/benefits.ts";
import * as memberRoutes from "../../../lib/contract/members.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { BenefitListQuery } from "../../../lib/domain/benefit.ts";
import { cellsOf, countOf } from "../../../lib/domain/figures.ts";
import { MemberListQuery } from "../../../lib/domain/member-list.ts";
import { pageOf } from "../../../lib/domain/page.ts";
import { etagOf } from "../../../lib/http/etag.ts";
import { representation } from "../../../lib/http/reply.ts";
import { validate } from "../../../lib/http/validation.ts";
import { Problem, unauthorized } from "../../../lib/problem.ts";
import { machine } from "../../../lib/runtime.ts";
import * as benefits from "../../../lib/store/benefits.ts";
import * as communities from "../../../lib/store/communities.ts";
import { toResponse as presentMember } from "../../../lib/store/members/item.ts";
import * as memberList from "../../../lib/store/members/list.ts";
import * as members from "../../../lib/store/members/members.ts";
import type { IndexReader } from "../../../lib/store/table.ts";

/** A request in a form that every framework can provide. */
export type AppRequest = {
  readonly authorization: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
};

export type Answered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Three routes as plain functions: authentication, authorization, reads and response. Each peer adds its framework. */
export function appOn(open: () => IndexReader, verify: Verify) {
  const answering =
    (route: Route, run: (request: AppRequest, manager: Manager) => Promise<unknown>) =>
    async (request: AppRequest): Promise<Answered> => {
      try {
        const token = bearerToken(request.authorization);
        if (token === undefined) throw unauthorized("missing_token");
        const { userId = 0, ...person } = await verify(token);
        const caller = { ...person, id: userId };
        const answer = await run(request, (owned) =>
          assertHasRight({ right: undefined, caller, selfId: undefined, epoch: 0 }, { owned }),
        );
        const shown = route.output ? representation(route.output, answer) : {};
        const headers = { "content-type": "application/json", ...(route.etag && { etag: etagOf(shown) }) };
        return { status: 200, headers, body: JSON.stringify(shown) };
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const { status, code, message: detail } = error;
        const headers = { "content-type": "application/problem+json" };
        return { status, headers, body: JSON.stringify({ status, code, detail }) };
      }
    };

  return {
    listMembers: answering(memberRoutes.list, async ({ params, query }, assertMayManage) => {
      const filters = validate("query", MemberListQuery, query);
      const id = Number(params.community_id);
      const [community, { members: listed, next_cursor }] = await Promise.all([
        communities.open(open(), id),
        memberList.list(open(), id, filters),
      ]);
      assertMayManage(community);
      const { figures } = community;
      const total = figures && filters.query === undefined ? countOf(cellsOf(figures), filters) : null;
      const data = listed.map((member) => presentMember(member, community, machine));
      return { total, has_more: next_cursor !== null, next_cursor, data };
    }),

    showMember: answering(memberRoutes.show, async ({ params }, assertMayManage) => {
      const id = Number(params.community_id);
      const [community, member] = await Promise.all([
        communities.open(open(), id),
        members.find(open(), id, Number(params.id)),
      ]);
      assertMayManage(community);
      if (!member) throw new Problem("not_found");
      return presentMember(member, community, machine);
    }),

    listBenefits: answering(benefitRoutes.list, async ({ params, query }, assertMayManage) => {
      const filters = validate("query", BenefitListQuery, query);
      const community = await benefits.open(open(), Number(params.community_id));
      assertMayManage(community);
      const matching = community.benefits.filter(
        ({ status, tier_ids }) =>
          (filters.status === "all" || status === filters.status) &&
          (filters.tier_id === undefined || tier_ids.includes(filters.tier_id)),
      );
      const page = pageOf(matching, filters);
      return { ...page, data: page.data.map((benefit) => benefits.toResponse(benefit, community)) };
    }),
  };
}

type Manager = (community: { readonly id: number; readonly owner_id: number }) => void;

export type App = ReturnType<typeof appOn>;
