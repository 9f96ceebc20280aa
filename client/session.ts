import type { Account } from "./account.ts";
import { isRefusal, SignInError } from "./cognito.ts";
import type { SignedIn, SignIn } from "./sign-in.ts";

/** `localStorage`, `sessionStorage`, or an asynchronous storage with the same functions. */
export type SessionStorage = {
  readonly getItem: (key: string) => string | null | Promise<string | null>;
  readonly setItem: (key: string, value: string) => unknown;
  readonly removeItem: (key: string) => unknown;
};

export type SessionOptions = {
  readonly signIn: Pick<SignIn, "refresh" | "signOut" | keyof Account>;
  /** Where the tokens are stored. Tabs share a session if they share the storage, as they do `localStorage`. */
  readonly storage: SessionStorage;
  /** Key of the session in the storage. Default: `odis.session` */
  readonly key?: string;
};

/** `hasEnded`: whether Cognito has ended the session, so that the person has to sign in again. */
export type SessionState =
  | { readonly status: "restoring" }
  | { readonly status: "signed_in" }
  | { readonly status: "signed_out"; readonly hasEnded: boolean };

/** The functions of `Account` without the access token. */
type OwnAccount = {
  readonly [Name in keyof Account]: Account[Name] extends (accessToken: string, ...input: infer Input) => infer Result
    ? (...input: Input) => Result
    : never;
};

export type Session = OwnAccount & {
  /** The state, which is another object after every sign-in and sign-out, also in another tab. */
  readonly state: () => SessionState;
  /** Calls a function after every change of the state. Returns a function that ends this. */
  readonly subscribe: (listener: () => void) => () => void;
  /**
   * The `token` of `createOdis`. Returns the access token, which it refreshes if it has expired, or if it is the token that
   * the API has rejected as expired. `undefined` if nobody is signed in.
   *
   * @throws SignInError, TypeError, or DOMException `TimeoutError` if a rejected token could not be refreshed. The person
   * remains signed in.
   */
  readonly token: (rejected?: string) => Promise<string | undefined>;
  /** Stores the session of a person who has signed in. */
  readonly begin: (signedIn: SignedIn) => Promise<void>;
  /** Signs out in all tabs at once, then revokes the refresh token if Cognito can be reached. */
  readonly signOut: () => Promise<void>;
};

/**
 * Restores the session in a storage, and keeps it until a sign-out or until Cognito refuses the refresh token. Nothing else
 * ends it: neither a failure of the network or of a server nor a wrong clock.
 */
export function createSession({ signIn, storage, key = "odis.session" }: SessionOptions): Session {
  let session: SignedIn | undefined;
  let state: SessionState = { status: "restoring" };
  /** What the storage contained last. Undefined until it has been read. */
  let stored: string | null | undefined;
  let refreshing: Promise<void> | undefined;
  const listeners = new Set<() => void>();

  function adopt(next: SignedIn | undefined, hasEnded = false): void {
    const status = next ? "signed_in" : "signed_out";
    const isSame = status === state.status && next?.refreshToken === session?.refreshToken;
    session = next;
    if (isSame) return;
    state = status === "signed_in" ? { status } : { status, hasEnded };
    for (const listener of listeners) listener();
  }

  /** Adopts what another tab has stored. */
  async function load(): Promise<void> {
    const before = stored;
    let text = stored ?? null;
    try {
      text = await storage.getItem(key);
    } catch {
      // Without a readable storage, the session lasts as long as the page.
    }
    // A write during the read is newer.
    if (text === stored || stored !== before) return;
    stored = text;
    adopt(sessionOf(text));
  }

  async function store(next: SignedIn | undefined, hasEnded = false): Promise<void> {
    adopt(next, hasEnded);
    const text = next ? JSON.stringify(next) : null;
    try {
      await (text === null ? storage.removeItem(key) : storage.setItem(key, text));
      stored = text;
    } catch {
      // The storage still has what `stored` says.
    }
  }

  async function refreshAlone(stale: string | undefined): Promise<void> {
    // Another tab may have refreshed the token or signed out.
    await load();
    const { accessToken, refreshToken } = session ?? {};
    if (!refreshToken || (stale && accessToken !== stale)) return;
    const refreshed = await signIn.refresh(refreshToken).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
    });
    await load();
    // A sign-out or another sign-in during the refresh is newer.
    if (session?.refreshToken === refreshToken) await store(refreshed ?? undefined, !refreshed);
  }

  /** Refreshes the tokens if the access token is still `stale`, or in any case if that is undefined. */
  const refresh = (stale?: string): Promise<void> =>
    (refreshing ??= alone(key, () => refreshAlone(stale)).finally(() => {
      refreshing = undefined;
    }));

  async function token(rejected?: string): Promise<string | undefined> {
    await restored;
    await load();
    const { accessToken, expiresAt = 0 } = session ?? {};
    if (!accessToken) return undefined;
    if (rejected === accessToken) await refresh(accessToken);
    else if (!rejected && Date.now() >= expiresAt - 60_000) {
      // The API decides whether the token is still valid. Therefore a failure is ignored, and the last minute is not waited for.
      const attempt = refresh(accessToken).catch(() => undefined);
      if (Date.now() >= expiresAt) await attempt;
    }
    return session?.accessToken;
  }

  /** Changes the account, then refreshes the tokens, so that the API knows the change. */
  async function change<T>(run: (accessToken: string) => Promise<T>): Promise<T> {
    const accessToken = await token();
    if (!accessToken) throw new SignInError("NotAuthorizedException", "Nobody is signed in");
    const result = await run(accessToken).catch(async (error: unknown) => {
      // Cognito has the same code for a wrong password.
      const isRejected = isRefusal(error) && /access token/i.test(error.message);
      const renewed = isRejected ? await token(accessToken) : undefined;
      if (!renewed || renewed === accessToken) throw error;
      return run(renewed);
    });
    // A refresh that has begun before the change, here or in another tab, may not know it.
    await refreshing?.catch(() => undefined);
    if (session) await refresh().catch(() => undefined);
    return result;
  }

  const restored = load();
  const page = globalThis as { addEventListener?: (type: string, listener: () => void) => void };
  for (const type of ["storage", "pageshow"]) page.addEventListener?.(type, () => void load());

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    token,
    async begin(signedIn) {
      await restored;
      await store(signedIn);
    },
    async signOut() {
      await restored;
      const { refreshToken } = session ?? {};
      await store(undefined);
      if (refreshToken) await signIn.signOut(refreshToken).catch(() => undefined);
    },
    changeName: (names) => change((accessToken) => signIn.changeName(accessToken, names)),
    changeEmail: (email) => change((accessToken) => signIn.changeEmail(accessToken, email)),
    confirmEmail: (code) => change((accessToken) => signIn.confirmEmail(accessToken, code)),
    changePassword: (oldPassword, newPassword) =>
      change((accessToken) => signIn.changePassword(accessToken, oldPassword, newPassword)),
  };
}

function sessionOf(text: string | null): SignedIn | undefined {
  try {
    const session = JSON.parse(`${text}`) as SignedIn | null;
    return session?.accessToken ? session : undefined;
  } catch {
    return undefined;
  }
}

/** The part of Web Locks that is used. Not all platforms have its types. */
type Locks = { readonly request: (name: string, options: object, run: () => Promise<void>) => Promise<void> };

/** How long to wait for other tabs, in milliseconds. A suspended tab can keep a lock. */
const longestTurn = 10_000;

/** Runs a function alone among the tabs of a browser that has Web Locks. */
async function alone(name: string, run: () => Promise<void>): Promise<void> {
  const { locks } = (globalThis as { navigator?: { locks?: Locks } }).navigator ?? {};
  if (!locks) return run();
  let isRunning = false;
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), longestTurn);
  try {
    await locks.request(name, { signal: waiting.signal }, () => {
      isRunning = true;
      clearTimeout(timer);
      return run();
    });
  } catch (error) {
    if (isRunning) throw error;
    await run();
  }
}
