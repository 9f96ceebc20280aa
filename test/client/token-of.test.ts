import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createOdis, type SignedIn, tokenOf } from "../../client/odis.ts";
import { problem } from "./browser.ts";

const now = Date.parse("2026-11-01T09:05:00.000Z");
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now }));
afterEach(() => void vi.useRealTimers());

const hour = 3_600_000;
const session = (accessToken: string, expiresAt: number): SignedIn => ({
  accessToken,
  idToken: "id",
  expiresAt,
  refreshToken: "refresh",
});

it("tokenOf returns the access token until a minute before it expires, and then a new one", async () => {
  const refresh = vi.fn<(token: string) => Promise<SignedIn>>(async () => session("second", now + 2 * hour));
  const token = tokenOf({ refresh }, session("first", now + hour));
  vi.setSystemTime(now + hour - 60_001);
  expect(await token()).toBe("first");
  vi.setSystemTime(now + hour - 60_000);
  expect(await token()).toBe("second");
  expect(await token()).toBe("second");
  expect(refresh.mock.calls).toEqual([["refresh"]]);
});

it("tokenOf refreshes once for concurrent requests, and reports the new tokens", async () => {
  const refresh = vi.fn<(token: string) => Promise<SignedIn>>(async () => session("second", now + hour));
  const onRefresh = vi.fn<(session: SignedIn) => void>();
  const token = tokenOf({ refresh }, session("first", now), onRefresh);
  expect(await Promise.all([token(), token(), token()])).toEqual(["second", "second", "second"]);
  expect(refresh).toHaveBeenCalledTimes(1);
  expect(onRefresh.mock.calls).toEqual([[session("second", now + hour)]]);
});

it("tokenOf throws the error of a refresh, and tries again at the next request", async () => {
  const refresh = vi
    .fn<(token: string) => Promise<SignedIn>>()
    .mockRejectedValueOnce(new TypeError("fetch failed"))
    .mockResolvedValueOnce(session("second", now + hour));
  const token = tokenOf({ refresh }, session("first", now));
  await expect(token()).rejects.toThrow("fetch failed");
  expect(await token()).toBe("second");
});

it("tokenOf returns the access token unchanged if there is no refresh token", async () => {
  const refresh = vi.fn<(token: string) => Promise<SignedIn>>();
  const { refreshToken: _, ...only } = session("first", now - hour);
  expect(await tokenOf({ refresh }, only)()).toBe("first");
  expect(refresh).not.toHaveBeenCalled();
});

it("tokenOf refreshes the access token that the API rejects, whatever the clock says, and no other one", async () => {
  const refresh = vi.fn<(token: string) => Promise<SignedIn>>(async () => session("second", now + 2 * hour));
  const token = tokenOf({ refresh }, session("first", now + 2 * hour));
  expect(await Promise.all([token("first"), token("first")])).toEqual(["second", "second"]);
  expect(await token("first")).toBe("second");
  expect(refresh).toHaveBeenCalledTimes(1);
});

it("a request succeeds with a new token if the token has expired after the clock of the device was set back", async () => {
  const refresh = async () => session("second", now + 2 * hour);
  const fetch = async ({ headers }: Request) =>
    headers.get("authorization") === "Bearer second" ? Response.json({ user: null }) : problem(401, "expired_token")();
  const odis = createOdis({
    baseUrl: "http://service",
    token: tokenOf({ refresh }, session("first", now + hour)),
    fetch,
  });
  expect(await odis.get("/odis/v1/me")).toEqual({ user: null });
});

it("a request whose token is rejected as expired is sent once if there is no other token", async () => {
  const fetch = vi.fn<(request: Request) => Promise<Response>>(async () => problem(401, "expired_token")());
  const odis = createOdis({ baseUrl: "http://service", token: () => "first", fetch });
  await expect(odis.get("/odis/v1/me")).rejects.toMatchObject({ status: 401, code: "expired_token" });
  expect(fetch).toHaveBeenCalledTimes(1);
});
