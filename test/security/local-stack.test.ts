import { stat } from "node:fs/promises";
import { afterAll, describe, expect, it } from "vitest";
import { startDemoStack } from "../../tools/local/demo-stack.ts";
import { isLoopback } from "../../tools/local/loopback.ts";
import { subOf } from "../../tools/local/users.ts";
import { sendBytes } from "../support/raw.ts";
import { setUp, temporaryFolder } from "../support/set-up.ts";

const folder = temporaryFolder();
const stack = setUp(() => startDemoStack({ port: 0, folder }));
afterAll(() => stack.stop());

const people = "/explore/people.json";

describe("requests for another host name that resolves to this machine", () => {
  it.each(["evil.com", "evil.com:3000", "127.0.0.1.evil.com", "localhost.evil.com", "0.0.0.0", "192.168.0.7:3000"])(
    "a request for another host is 421 at every server of the local stack, as %s",
    async (host) => {
      const { api_url, cognito_url, control_url, events_url, stripe_url = "" } = stack.local;
      for (const url of [api_url, cognito_url, control_url, new URL(events_url).origin, stripe_url]) {
        const answer = await sendBytes(url, { path: people, headers: { host } });
        expect({ url, status: answer.status }).toEqual({ url, status: 421 });
        expect(answer.body).not.toContain("eyJ");
      }
    },
  );

  it.each(["127.0.0.1", "localhost", "LOCALHOST:3000", "[::1]:80"])(
    "a request for the host %s is refused",
    async (host) => {
      expect(isLoopback(host)).toBe(true);
      expect(await sendBytes(stack.local.api_url, { path: "/health", headers: { host } })).toMatchObject({
        status: 200,
      });
    },
  );
});

describe("tokens", () => {
  it("tokens are in a file that only its owner can read", async () => {
    expect((await stat(stack.file)).mode & 0o777).toBe(0o600);
  });

  it.each<Record<string, string>>([
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "none" },
    { origin: "http://localhost:5173" },
    { origin: "null" },
  ])("tokens are not returned to pages of another origin: %j", async (headers) => {
    const answer = await sendBytes(stack.local.api_url, { path: people, headers });
    expect(answer.status).toBe(403);
    expect(answer.body).not.toContain("eyJ");
  });

  it("tokens are returned to the stack's own pages", async () => {
    const headers = { "sec-fetch-site": "same-origin", origin: stack.local.api_url };
    const { status, body } = await sendBytes(stack.local.api_url, { path: people, headers });
    expect(status).toBe(200);
    expect(body).toContain("eyJ");
  });

  it("tokens can be requested by scripts, and not by web pages", async () => {
    const headers = { origin: "http://localhost:5173" };
    expect(await sendBytes(stack.local.control_url, { path: "/tokens", method: "POST", headers })).toMatchObject({
      status: 403,
    });
  });
});

it("a token with an unknown key is 401 at the local stack, without a request for keys", async () => {
  const [, claims = "", signature = ""] = (stack.local.tokens.admin ?? "").split(".");
  for (const header of [{ alg: "RS256", kid: "unknown" }, { alg: "RS256", kid: subOf(1) }, { alg: "none" }]) {
    const token = [Buffer.from(JSON.stringify(header)).toString("base64url"), claims, signature].join(".");
    const authorization = `Bearer ${token}`;
    const started = performance.now();
    expect(
      await sendBytes(stack.local.api_url, { path: "/odis/v1/communities/1/stats", headers: { authorization } }),
    ).toMatchObject({
      status: 401,
    });
    expect(performance.now() - started).toBeLessThan(5000);
  }
});
