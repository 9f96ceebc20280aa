import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Behavior,
  broken,
  endless,
  endOf,
  exception,
  html,
  never,
  offline,
  openBrowser,
  problem,
  refused,
} from "./browser.ts";

const minute = 60_000;
const hour = 60 * minute;

let browser: ReturnType<typeof openBrowser>;
beforeEach(() => {
  vi.useFakeTimers({ now: new Date("2026-11-01T09:05:00.000Z") });
  browser = openBrowser();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

type Tab = ReturnType<typeof browser.open>;

/** Opens a tab in which Ana is signed in. */
async function signedIn(storage?: Parameters<typeof browser.open>[0]): Promise<Tab> {
  const tab = browser.open(storage);
  await tab.session.begin(browser.signedIn("ana"));
  return tab;
}
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
/** Sets the clock of the browser, without letting time pass. */
const shiftClock = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);
const ask = ({ odis }: Tab) => endOf(odis.get("/odis/v1/me"));
const succeeds = { error: undefined };

/** Checks that a person is signed in, and that requests work again after a fault. */
async function recovers(tab: Tab): Promise<void> {
  expect(tab.session.state()).toEqual({ status: "signed_in" });
  expect(browser.stored()).toBe("ana");
  browser.faults.cognito = undefined;
  browser.faults.api = undefined;
  expect(await ask(tab)).toMatchObject(succeeds);
}

describe("a fault of Cognito does not sign anybody out, and no request waits longer than 60 seconds", () => {
  const faults: readonly (readonly [string, Behavior])[] = [
    ["is offline", offline],
    ["never responds", never],
    ["sends a body that never ends", endless],
    ["breaks off the response", broken],
    ["responds with 429", exception("TooManyRequestsException", 429)],
    ["responds with TooManyRequestsException", exception("TooManyRequestsException")],
    ["responds with 500", exception("InternalErrorException", 500)],
    ["responds with 502 from a proxy", html(502)],
    ["responds with 503", html(503)],
    ["is replaced by the page of a hotel", html(200)],
    ["responds without tokens", async () => Response.json({})],
    ["responds that a trigger has failed", exception("UserLambdaValidationException")],
    ["responds that the pool does not exist", exception("ResourceNotFoundException")],
  ];
  const moments: readonly (readonly [string, () => Promise<unknown>, boolean])[] = [
    ["half an hour after the token has expired", () => pass(90 * minute), false],
    ["in the last minute of the token", () => pass(hour - 20_000), true],
    [
      "when the API rejects a token that is valid by the clock",
      async () => {
        shiftClock(-hour);
        await pass(hour + 1000);
      },
      false,
    ],
  ];
  const cases = faults.flatMap(([fault, behavior]) =>
    moments.map(([moment, wait, isValid]) => ({ fault, moment, behavior, wait, isValid })),
  );

  it.each(cases)("Cognito $fault $moment", async ({ behavior, wait, isValid }) => {
    const tab = await signedIn();
    await wait();
    browser.faults.cognito = behavior;
    const { error, duration } = await ask(tab);
    expect(duration).toBeLessThanOrEqual(minute);
    expect(error === undefined).toBe(isValid);
    await recovers(tab);
  });
});

describe("a fault of the API does not sign anybody out, and no request waits longer than 60 seconds", () => {
  it.each<[string, Behavior]>([
    ["is offline", offline],
    ["never responds", never],
    ["breaks off the response", broken],
    ["responds with 429 and an hour to wait", problem(429, "too_many_requests", { "retry-after": "3600" })],
    ["responds with 500", problem(500, "internal")],
    ["responds with 503", problem(503, "unavailable")],
    ["responds with 403", problem(403, "forbidden")],
    ["responds with 401 invalid_token", problem(401, "invalid_token")],
    ["responds with 401 from a proxy", html(401)],
    ["is replaced by the page of a hotel", html(200)],
  ])("the API %s", async (_, behavior) => {
    const tab = await signedIn();
    browser.faults.api = behavior;
    const { error, duration } = await ask(tab);
    expect(error).toBeDefined();
    expect(duration).toBeLessThanOrEqual(minute);
    expect(browser.calls.refreshes).toBe(0);
    await recovers(tab);
  });

  it("the API rejects every token as expired: the token is refreshed once, and the request is sent twice", async () => {
    const tab = await signedIn();
    browser.faults.api = problem(401, "expired_token");
    expect(await ask(tab)).toMatchObject({ error: { code: "expired_token" } });
    expect([browser.calls.refreshes, browser.calls.requests.length]).toEqual([1, 2]);
    await recovers(tab);
  });
});

describe("a refusal of the refresh token signs out", () => {
  it.each([
    ["the API has rejected the token", () => pass(0), -2 * hour],
    ["the token has expired", () => pass(2 * hour), 0],
  ])("Cognito refuses the refresh token after %s", async (_, wait, shift) => {
    const tab = await signedIn();
    await pass(hour + 1);
    shiftClock(shift);
    await wait();
    browser.faults.cognito = refused;
    expect(await ask(tab)).toMatchObject({ error: { status: 401 } });
    expect(tab.session.state()).toEqual({ status: "signed_out", hasEnded: true });
    expect(browser.stored()).toBeUndefined();
    expect(await tab.session.token()).toBeUndefined();
  });
});

describe("the clock of the browser", () => {
  it.each([
    ["is an hour behind at the sign-in", [-hour, 0]],
    ["is an hour ahead at the sign-in", [hour, 0]],
    ["is a year behind at the sign-in", [-365 * 24 * hour, 0]],
    ["is set back by an hour", [0, -hour]],
    ["is set forward by an hour", [0, hour]],
    ["was an hour behind and is corrected", [-hour, hour]],
    ["was an hour ahead and is corrected", [hour, -hour]],
  ])("a clock that %s matters to nobody for three hours", async (_, [before = 0, after = 0]) => {
    shiftClock(before);
    const tab = await signedIn();
    await pass(minute);
    shiftClock(after);
    for (let n = 0; n < 18; n++) {
      expect(await ask(tab)).toMatchObject(succeeds);
      await pass(10 * minute);
    }
    expect(browser.calls.refreshes).toBeLessThanOrEqual(4);
    await recovers(tab);
  });
});

it("a token that has expired only by the clock of the browser is used while Cognito cannot be reached", async () => {
  const tab = await signedIn();
  browser.faults.cognito = offline;
  shiftClock(hour);
  expect(await ask(tab)).toMatchObject(succeeds);
  await recovers(tab);
});

describe("the storage", () => {
  it("a session is restored without a request, also without a network", async () => {
    await signedIn();
    Object.assign(browser.faults, { cognito: offline, api: offline });
    const tab = browser.open();
    expect(tab.session.state()).toEqual({ status: "restoring" });
    expect(await tab.session.token()).toBe("access-1");
    await recovers(tab);
  });

  it("a sign-out right after the page has loaded ends the stored session", async () => {
    await signedIn();
    await browser.open().session.signOut();
    expect(browser.stored()).toBeUndefined();
    expect(browser.calls.revocations).toEqual(["ana"]);
  });

  it("a session whose token has expired is restored, and refreshed at the next request", async () => {
    await signedIn();
    await pass(24 * hour);
    const tab = browser.open();
    expect(await ask(tab)).toMatchObject(succeeds);
    await recovers(tab);
  });

  it.each([
    [
      "cannot be read",
      {
        getItem: () => {
          throw new Error("Access denied");
        },
      },
    ],
    [
      "cannot be written",
      {
        setItem: () => {
          throw new Error("Quota exceeded");
        },
      },
    ],
    ["fails after a while", { setItem: () => Promise.reject(new Error("Quota exceeded")) }],
  ])("a storage that %s keeps the session for the page", async (_, storage) => {
    const tab = await signedIn(storage);
    await pass(2 * hour);
    expect(await ask(tab)).toMatchObject(succeeds);
    expect(await ask(tab)).toMatchObject(succeeds);
    expect(browser.calls.refreshes).toBe(1);
    expect(tab.session.state()).toEqual({ status: "signed_in" });
  });

  it.each(["", "{", "null", "[]", '"text"'])("the stored text %j is nobody's session", async (text) => {
    browser.items.set("odis.session", text);
    const { session } = browser.open();
    expect(await session.token()).toBeUndefined();
    expect(session.state()).toEqual({ status: "signed_out", hasEnded: false });
  });

  it("a slow asynchronous storage never brings back what was written over", async () => {
    const slow = <T>(value: T) => new Promise<T>((resolve) => setTimeout(() => resolve(value), 100));
    const { items } = browser;
    const tab = browser.open({
      getItem: (key) => slow(items.get(key) ?? null),
      setItem: (key, value) => slow(0).then(() => items.set(key, value)),
      removeItem: (key) => slow(0).then(() => items.delete(key)),
    });
    const beginning = tab.session.begin(browser.signedIn("ana"));
    expect(await ask(tab)).toMatchObject(succeeds);
    await beginning;
    expect(await ask(tab)).toMatchObject(succeeds);
    const reading = tab.session.token();
    await endOf(tab.session.signOut());
    await reading;
    expect(tab.session.state()).toEqual({ status: "signed_out", hasEnded: false });
    expect(await ask(tab)).toMatchObject({ error: { code: "missing_token" } });
  });
});

describe("requests at the same time", () => {
  it.each([
    [true, true],
    [true, false],
    [false, true],
  ])("20 requests of two tabs refresh an expired token (Web Locks: %s, events: %s)", async (exist, areDelivered) => {
    Object.assign(browser.locks, { exist });
    Object.assign(browser.events, { areDelivered });
    const tabs = [await signedIn(), browser.open()];
    await pass(2 * hour);
    const ends = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(tabs[n % 2] as Tab)));
    for (const end of ends) expect(end).toMatchObject(succeeds);
    expect(browser.calls.refreshes).toBe(exist ? 1 : 2);
    for (const tab of tabs) await recovers(tab);
  });

  it("a refresh that fails is not repeated, and all requests that wait for it fail", async () => {
    const tab = await signedIn();
    shiftClock(-hour);
    await pass(hour + 1000);
    browser.faults.cognito = offline;
    for (const { error } of await Promise.all([ask(tab), ask(tab)])) expect(error).toBeInstanceOf(TypeError);
    expect(browser.calls.refreshes).toBe(1);
    await recovers(tab);
  });

  it("a rejected token that another tab has refreshed is not refreshed again", async () => {
    const [one, other] = [await signedIn(), browser.open()];
    await pass(2 * hour);
    browser.events.areDelivered = false;
    const fresh = await one.session.token();
    expect(await other.session.token("access-1")).toBe(fresh);
    expect(browser.calls.refreshes).toBe(1);
  });

  it("a tab that never gives back its lock delays others by ten seconds", async () => {
    const tab = await signedIn();
    await pass(2 * hour);
    browser.locks.isHeld = true;
    expect(await ask(tab)).toMatchObject({ error: undefined, duration: 10_000 });
    await recovers(tab);
  });

  it("a POST that was rejected as expired is sent again with the same Idempotency-Key", async () => {
    const { odis } = await signedIn();
    shiftClock(-hour);
    await pass(hour + 1000);
    const params = { path: { community_id: 1 } };
    const body = { return_url: "https://fans.example.com" };
    await endOf(odis.post("/odis/v1/communities/{community_id}/billing_portal_sessions", { params, body }));
    const keys = browser.calls.requests.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(await browser.calls.requests[1]?.json()).toEqual(body);
  });
});

describe("several tabs", () => {
  it("a sign-in and a sign-out in one tab change the state of the others, which tell their listeners", async () => {
    const [one, other] = [browser.open(), browser.open()];
    await pass(0);
    const states: string[] = [];
    const stop = other.session.subscribe(() => states.push(other.session.state().status));
    await one.session.begin(browser.signedIn("ana"));
    await pass(0);
    expect(await ask(other)).toMatchObject(succeeds);
    await one.session.signOut();
    await pass(0);
    expect(states).toEqual(["signed_in", "signed_out"]);
    expect(browser.calls.revocations).toEqual(["ana"]);
    expect(await ask(other)).toMatchObject({ error: { code: "missing_token" } });
    stop();
    await one.session.begin(browser.signedIn("ana"));
    await pass(0);
    expect(states).toHaveLength(2);
    expect(other.session.state()).toEqual({ status: "signed_in" });
  });

  it("a refresh keeps the state object, and the sign-in of another person replaces it", async () => {
    const [one, other] = [await signedIn(), browser.open()];
    await pass(2 * hour);
    const state = one.session.state();
    await ask(one);
    expect(one.session.state()).toBe(state);
    await other.session.begin(browser.signedIn("ben"));
    await pass(0);
    expect(one.session.state()).toEqual(state);
    expect(one.session.state()).not.toBe(state);
  });

  it("a sign-out without a network takes effect immediately, and ends", async () => {
    for (const behavior of [offline, never, exception("TooManyRequestsException")]) {
      const tab = await signedIn();
      browser.faults.cognito = behavior;
      const signOut = endOf(tab.session.signOut());
      await pass(0);
      expect(tab.session.state()).toEqual({ status: "signed_out", hasEnded: false });
      expect(browser.stored()).toBeUndefined();
      expect((await signOut).error).toBeUndefined();
    }
  });

  it.each([true, false])(
    "a sign-out during a refresh is not undone by the new tokens (events: %s)",
    async (areDelivered) => {
      browser.events.areDelivered = areDelivered;
      const [one, other] = [await signedIn(), browser.open()];
      await pass(2 * hour);
      const refreshed = browser.signedIn("ana");
      let finish: (response: Response) => void = () => {};
      browser.faults.cognito = () => new Promise((resolve) => (finish = resolve));
      const request = ask(one);
      await pass(1000);
      browser.faults.cognito = undefined;
      await other.session.signOut();
      finish(
        Response.json({ AuthenticationResult: { AccessToken: refreshed.accessToken, IdToken: "id", ExpiresIn: 3600 } }),
      );
      expect(await request).toMatchObject({ error: { code: "missing_token" } });
      await Promise.all([one, other].map(({ session }) => session.token()));
      for (const { session } of [one, other]) expect(session.state().status).toBe("signed_out");
      expect(browser.stored()).toBeUndefined();
    },
  );

  it("the refusal of an old refresh token does not end the session of a later sign-in", async () => {
    const [one, other] = [await signedIn(), browser.open()];
    await pass(2 * hour);
    let finish = (): void => {};
    browser.faults.cognito = () => new Promise((resolve) => (finish = () => void refused().then(resolve)));
    const request = ask(one);
    await pass(1000);
    browser.faults.cognito = undefined;
    await other.session.begin(browser.signedIn("ben"));
    finish();
    expect(await request).toMatchObject(succeeds);
    for (const { session } of [one, other]) expect(session.state()).toEqual({ status: "signed_in" });
    expect(browser.stored()).toBe("ben");
  });
});

describe("a change of the account during a refresh of the tokens", () => {
  /**
   * Lets each response of Cognito take half a second. A change takes effect at its response, and a refresh copies the account
   * to the API at its request.
   *
   * @returns what has happened so far
   */
  function delayCognito(): string[] {
    const steps: string[] = [];
    const respond = fetch;
    vi.stubGlobal("fetch", async (url: string, init: RequestInit & { headers: Record<string, string> }) => {
      const isChange = init.headers["x-amz-target"]?.endsWith(".UpdateUserAttributes");
      if (!isChange) steps.push("copied");
      const response = await respond(url, init);
      await new Promise((resolve) => setTimeout(resolve, 500));
      if (isChange) steps.push("changed");
      return response;
    });
    return steps;
  }

  it("the API knows a change that began in the last minute of the token, together with a refresh", async () => {
    const { session } = await signedIn();
    await pass(hour - 20_000);
    const steps = delayCognito();
    await endOf(session.changeName({ firstName: "Anna" }));
    expect(steps).toEqual(["copied", "changed", "copied"]);
  });

  it.each([true, false])(
    "the API knows a change during which another tab refreshed the token (Web Locks: %s)",
    async (exist) => {
      browser.locks.exist = exist;
      const [one, other] = [await signedIn(), browser.open()];
      const token = await one.session.token();
      const steps = delayCognito();
      const changing = endOf(one.session.changeName({ firstName: "Anna" }));
      await pass(100);
      await Promise.all([changing, other.session.token(token)]);
      expect(steps).toEqual(["copied", "changed", "copied"]);
    },
  );
});

it("a session without a refresh token is used until the API rejects its token", async () => {
  const { session, odis } = browser.open();
  const { refreshToken: _, ...tokens } = browser.signedIn("");
  await session.begin(tokens);
  expect(await endOf(odis.get("/odis/v1/me"))).toMatchObject(succeeds);
  await pass(2 * hour);
  expect(await endOf(odis.get("/odis/v1/me"))).toMatchObject({ error: { code: "expired_token" } });
  expect(session.state()).toEqual({ status: "signed_in" });
});
