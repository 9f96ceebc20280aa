import { vi } from "vitest";
import { createOdis, createSession, createSignIn, type SignedIn } from "../../client/odis.ts";

/** How Cognito or the API responds. */
export type Behavior = () => Promise<Response>;

export const offline: Behavior = () => Promise.reject(new TypeError("fetch failed"));
export const never: Behavior = () => new Promise<never>(() => {});
const json = { headers: { "content-type": "application/json" } };
export const endless: Behavior = async () => new Response(new ReadableStream(), json);
export const broken: Behavior = async () =>
  new Response(new ReadableStream({ start: (body) => body.error(new TypeError("terminated")) }), json);
export const html =
  (status: number): Behavior =>
  async () =>
    new Response("<html>", { status, headers: { "content-type": "text/html" } });
export const exception =
  (name: string, status = 400): Behavior =>
  async () =>
    Response.json({ __type: name, message: name }, { status });
export const problem =
  (status: number, code: string, headers = {}): Behavior =>
  async () =>
    new Response(JSON.stringify({ status, code }), {
      status,
      headers: { "content-type": "application/problem+json", ...headers },
    });
export const refused = exception("NotAuthorizedException");

const hour = 3_600_000;

/**
 * A browser with tabs that share a storage, a user pool and an API. Time is that of the fake timers. Access tokens are valid
 * for an hour by the clock of the servers, whatever the clock of the browser says.
 */
export function openBrowser() {
  const items = new Map<string, string>();
  const tabs: { readonly notify: () => void }[] = [];
  const expiries = new Map<string, number>();
  const refusedTokens = new Set<string>();
  const calls = { refreshes: 0, revocations: [] as string[], requests: [] as Request[] };
  const faults: { cognito?: Behavior | undefined; api?: Behavior | undefined } = {};
  const events = { areDelivered: true };
  const locks = { isHeld: false, waiting: [] as (() => void)[], exist: true };
  const now = () => performance.now();

  const issue = () => {
    const accessToken = `access-${expiries.size + 1}`;
    expiries.set(accessToken, now() + hour);
    return accessToken;
  };

  vi.stubGlobal("fetch", async (_: string, { headers, body }: { headers: Record<string, string>; body: string }) => {
    const operation = headers["x-amz-target"]?.split(".")[1];
    const input = JSON.parse(body) as { Token?: string; AuthParameters?: { REFRESH_TOKEN: string } };
    if (operation === "InitiateAuth") calls.refreshes++;
    if (faults.cognito) return faults.cognito();
    if (operation === "RevokeToken") {
      calls.revocations.push(input.Token ?? "");
      refusedTokens.add(input.Token ?? "");
      return new Response("");
    }
    if (refusedTokens.has(input.AuthParameters?.REFRESH_TOKEN ?? "")) return refused();
    return Response.json({ AuthenticationResult: { AccessToken: issue(), IdToken: "id", ExpiresIn: 3600 } });
  });

  const request = async (_: string, { signal }: { signal: AbortSignal }, run: () => Promise<void>) => {
    while (locks.isHeld)
      await new Promise<void>((resolve, reject) => {
        locks.waiting.push(resolve);
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    locks.isHeld = true;
    await run().finally(() => {
      locks.isHeld = false;
      locks.waiting.shift()?.();
    });
  };
  vi.stubGlobal("navigator", {
    get locks() {
      return locks.exist ? { request } : undefined;
    },
  });

  const answer: Behavior = async () => {
    if (faults.api) return faults.api();
    const token = calls.requests.at(-1)?.headers.get("authorization")?.slice("Bearer ".length);
    if (token === undefined) return problem(401, "missing_token")();
    return (expiries.get(token) ?? 0) > now() ? Response.json({ token }) : problem(401, "expired_token")();
  };

  /** Tokens as after a sign-in, with an expiry by the clock of the browser. */
  const signedIn = (refreshToken: string): SignedIn => ({
    accessToken: issue(),
    idToken: "id",
    refreshToken,
    expiresAt: Date.now() + hour,
  });

  /** Opens a tab. `storage` replaces functions of its storage. */
  const open = (storage: Partial<Parameters<typeof createSession>[0]["storage"]> = {}) => {
    const write = (change: () => void) => {
      change();
      for (const other of tabs) if (other !== tab) other.notify();
    };
    const listeners: (() => void)[] = [];
    vi.stubGlobal("addEventListener", (type: string, listener: () => void) => {
      if (type === "storage") listeners.push(listener);
    });
    const session = createSession({
      signIn: createSignIn({ userPoolId: "eu-central-1_Test", clientId: "test" }),
      storage: {
        getItem: (key) => items.get(key) ?? null,
        setItem: (key, value) => write(() => items.set(key, value)),
        removeItem: (key) => write(() => items.delete(key)),
        ...storage,
      },
    });
    const odis = createOdis({
      baseUrl: "http://service",
      token: session.token,
      fetch: (sent) => {
        calls.requests.push(sent);
        return answer();
      },
    });
    const tab = {
      session,
      odis,
      notify: () => {
        for (const listener of events.areDelivered ? listeners : []) listener();
      },
    };
    tabs.push(tab);
    return tab;
  };

  return {
    open,
    signedIn,
    calls,
    faults,
    locks,
    /** Whether tabs learn at once what another one has stored. */
    events,
    items,
    /** Makes Cognito refuse a refresh token. */
    revoke: (refreshToken: string) => void refusedTokens.add(refreshToken),
    /** The refresh token in the storage. */
    stored: () => (JSON.parse(items.get("odis.session") ?? "{}") as Partial<SignedIn>).refreshToken,
  };
}

/** Lets time pass until a call has ended. Returns its result or error, and its duration in milliseconds. */
export async function endOf<T>(call: Promise<T>) {
  const start = performance.now();
  const end = { result: undefined as T | undefined, error: undefined as unknown, duration: Number.POSITIVE_INFINITY };
  const ended = call
    .then(
      (result) => (end.result = result),
      (error: unknown) => (end.error = error),
    )
    .finally(() => (end.duration = performance.now() - start));
  for (let n = 0; n < 2000 && end.duration === Number.POSITIVE_INFINITY; n++) await vi.advanceTimersByTimeAsync(100);
  if (end.duration === Number.POSITIVE_INFINITY) throw new Error("The call never ended");
  await ended;
  return end;
}
