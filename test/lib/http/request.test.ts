import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { expect, it } from "vitest";
import { show as showMe } from "#lib/contract/me.ts";
import { show as showMember } from "#lib/contract/members.ts";
import { paramsOf } from "#lib/http/request.ts";

const eventWith = (pathParameters: unknown) => ({ pathParameters }) as APIGatewayProxyEventV2;

it("a path without parameters has no ids, whether the event omits them or has null", () => {
  expect([paramsOf(showMe, eventWith(undefined)), paramsOf(showMe, eventWith(null))]).toEqual([{}, {}]);
});

it("ids in a path are parsed as numbers, and invalid ids throw not_found", () => {
  expect(paramsOf(showMember, eventWith({ community_id: "7", id: "12" }))).toEqual({ community_id: 7, id: 12 });
  for (const id of ["", "0", "01", "-1", "1.5", "9007199254740993", "x"])
    expect(() => paramsOf(showMember, eventWith({ community_id: "7", id }))).toThrow(
      "The id of a member is a positive integer",
    );
});
