import { BlockRequest, Member, MemberListQuery, MemberPage, MemberUpdate } from "../domain/member.ts";
import type { Route } from "./route.ts";

export const list = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/members",
  summary: "List the members of a community",
  access: "user",
  query: MemberListQuery,
  output: MemberPage,
  cursor: true,
  table: "read",
} as const satisfies Route;

export const show = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/members/{id}",
  summary: "Show a member",
  access: "user",
  output: Member,
  etag: true,
  table: "read",
} as const satisfies Route;

export const update = {
  method: "PATCH",
  path: "/odis/v1/communities/{community_id}/members/{id}",
  summary: "Edit a member's address, notes and custom metadata",
  access: "user",
  body: MemberUpdate,
  output: Member,
  etag: true,
  table: "write",
} as const satisfies Route;

export const block = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/members/{id}/block",
  summary: "Block a member: access ends, the subscription is kept",
  access: "user",
  body: BlockRequest,
  output: Member,
  etag: true,
  problems: ["cannot_block_owner"],
  table: "write",
} as const satisfies Route;

export const unblock = {
  method: "DELETE",
  path: "/odis/v1/communities/{community_id}/members/{id}/unblock",
  summary: "Unblock a member",
  access: "user",
  output: Member,
  etag: true,
  table: "write",
} as const satisfies Route;
