import { afterAll, beforeAll, expect, it } from "vitest";
import { createDoor } from "../../../examples/door/door.ts";
import { createDownloads } from "../../../examples/door/downloads.ts";
import { type Stack, startStack } from "../../../tools/local/stack.ts";
import { tokenFor } from "../../../tools/local/users.ts";
import { aCommunity, aMember, type GivenCommunity } from "../../support/given.ts";

let stack: Stack;
let community: GivenCommunity;
beforeAll(async () => {
  stack = await startStack();
  community = await aCommunity(stack.table);
});
afterAll(() => stack.stop());

const tokenOf = (id: number, expiresIn = 3600) => tokenFor(stack.cognito, { id, groups: [], expiresIn });

/** The example's door in front of a text, with a clock that the test advances. */
function aDoor(apiUrl = stack.url) {
  let time = Date.now();
  const enter = createDoor({
    apiUrl,
    communityId: community.id,
    tokenOf: (request) => /access_token=([^;]+)/.exec(request.headers.get("cookie") ?? "")?.[1],
    now: () => time,
  });
  const open = async (token?: string) => {
    const headers = token === undefined ? {} : { cookie: `access_token=${token}` };
    const response = await enter(
      new Request("https://club.example/inside", { headers }),
      () => new Response("The recipe"),
    );
    return [response.status, await response.text(), response.headers.get("cache-control")];
  };
  return { open, advance: (milliseconds: number) => void (time += milliseconds) };
}

const content = [200, "The recipe", "private, no-store"];

it("the door of examples/door lets in members and the owner, and nobody else", async () => {
  const { open } = aDoor();
  const [member, former] = await Promise.all([
    aMember(stack.table, community),
    aMember(stack.table, community, { status: "canceled" }),
  ]);
  expect(await open(await tokenOf(member.user.id))).toEqual(content);
  expect(await open(await tokenOf(community.owner.id))).toEqual(content);
  for (const id of [former.user.id, 7777])
    expect(await open(await tokenOf(id))).toEqual([403, "For members only", "no-store"]);
  expect(await open()).toEqual([401, "Sign in", "no-store"]);
  for (const token of ["nonsense", await tokenOf(member.user.id, -60)])
    expect(await open(token)).toEqual([401, "Sign in again", "no-store"]);
});

it("the door of examples/door lets a member in for at most a minute after a block, and a new member at once", async () => {
  const { open, advance } = aDoor();
  const member = await aMember(stack.table, community);
  const token = await tokenOf(member.user.id);
  const change = async (method: string, action: string) => {
    const headers = { authorization: `Bearer ${await tokenOf(community.owner.id)}` };
    const path = `/odis/v1/communities/${community.id}/members/${member.id}/${action}`;
    expect((await fetch(`${stack.url}${path}`, { method, headers })).ok).toBe(true);
  };

  expect(await open(token)).toEqual(content);
  await change("POST", "block");
  advance(59_000);
  expect(await open(token)).toEqual(content);
  advance(1000);
  expect(await open(token)).toEqual([403, "For members only", "no-store"]);
  await change("DELETE", "unblock");
  expect(await open(token)).toEqual(content);
});

it("the door of examples/door lets nobody in if the API does not answer", async () => {
  const { open } = aDoor("http://127.0.0.1:9");
  const member = await aMember(stack.table, community);
  expect(await open(await tokenOf(member.user.id))).toEqual([503, "Try again later", "no-store"]);
});

it("a link of examples/door/downloads.ts is valid for five minutes, and for no other file", () => {
  let time = Date.now();
  const { linkTo, isAllowed } = createDownloads("a secret", () => time);
  const allows = (link: string) => isAllowed(new Request(`https://club.example${link}`));

  const link = linkTo("/files/añejo notes.pdf");
  expect(allows(link)).toBe(true);
  expect(allows(link.replace("notes", "prices"))).toBe(false);
  expect(allows(link.replace(/expires=\d/, "expires=9"))).toBe(false);
  expect(allows(link.replace(/signature=.*/, "signature=AAAA"))).toBe(false);
  expect(allows("/files/notes.pdf")).toBe(false);
  expect(createDownloads("another secret").isAllowed(new Request(`https://club.example${link}`))).toBe(false);
  time += 5 * 60_000;
  expect(allows(link)).toBe(false);
});

it("the door of examples/door lets members see a response whose headers cannot be changed, such as one of fetch", async () => {
  const member = await aMember(stack.table, community);
  const token = await tokenOf(member.user.id);
  const enter = createDoor({ apiUrl: stack.url, communityId: community.id, tokenOf: () => token });
  const response = await enter(new Request("https://club.example/inside"), () =>
    Response.redirect("https://club.example/recipe"),
  );
  expect([response.status, response.headers.get("location"), response.headers.get("cache-control")]).toEqual([
    302,
    "https://club.example/recipe",
    "private, no-store",
  ]);
});
