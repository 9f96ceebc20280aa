import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { removeExpiredAttempts } from "./data/attempts.ts";
import { removeDrafts } from "./data/drafts.ts";
import { type CsvReader, csvReader } from "./data/export-list.ts";
import {
  createOdis,
  createSignIn,
  type Deployment,
  type Me,
  type Odis,
  type OdisOptions,
  OdisProblem,
  type SignedIn,
  type SignIn,
  SignInError,
  tokenOf,
} from "./data/odis.ts";
import { shareSession } from "./data/shared-session.ts";
import { Failure } from "./parts/states.tsx";

type Session = {
  readonly deployment: Deployment;
  readonly odis: Odis;
  readonly accounts: SignIn;
  /** The signed-in person. Null if nobody is signed in, undefined until that is known. */
  readonly me: Me | null | undefined;
  /** Whether the session ended while the person used the console. */
  readonly hasEnded: boolean;
  readonly readCsv: CsvReader;
  /** Tokens of the session. @throws SignInError if the session has ended */
  readonly tokens: () => Promise<Pick<SignedIn, "accessToken" | "refreshToken">>;
  readonly begin: (tokens: SignedIn) => Promise<void>;
  /** Reloads the signed-in person after their communities have changed. `change` returns what is shown until then. */
  readonly refresh: (change?: (shown: Me) => Me) => Promise<void>;
  readonly end: (options?: { readonly hasEnded: boolean }) => Promise<void>;
};

const Context = createContext<Session | undefined>(undefined);

/** The refresh token is kept for the tab only, which gives it to a new tab. The access token is kept in memory. */
const storageKey = "odis.console.refresh-token";

export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error("useSession is called outside of SessionProvider");
  return session;
}

/** The client of the API. */
export const useOdis = (): Odis => useSession().odis;

/** Whether the person is in the group. */
export const useGroup = (group: "admin" | "editor"): boolean => useSession().me?.groups.includes(group) ?? false;

const signedOut = async (): Promise<string> => {
  throw new SignInError("NotAuthorizedException", "Nobody is signed in");
};

type Props = { readonly deployment: Deployment; readonly children: ComponentChildren };

export function SessionProvider({ deployment, children }: Props) {
  const [me, setMe] = useState<Me | null>();
  const [hasEnded, setHasEnded] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const token = useRef<(rejected?: string) => Promise<string>>(signedOut);
  const tabs = useRef<ReturnType<typeof shareSession>>(undefined);
  const { odis, readCsv, accounts } = useMemo(() => {
    const options: OdisOptions = {
      baseUrl: location.origin,
      token: (rejected) => token.current(rejected),
      retries: { attempts: 4, longestWait: 5000 },
    };
    return { odis: createOdis(options), readCsv: csvReader(options), accounts: createSignIn(deployment) };
  }, [deployment]);

  const forget = (): void => {
    sessionStorage.removeItem(storageKey);
    token.current = signedOut;
    setMe(null);
  };
  const refresh: Session["refresh"] = async (change) => {
    if (change) setMe((shown) => shown && change(shown));
    setMe(await odis.get("/odis/v1/me"));
  };
  const begin = async (tokens: SignedIn): Promise<void> => {
    removeExpiredAttempts();
    token.current = tokenOf(accounts, tokens);
    if (tokens.refreshToken) sessionStorage.setItem(storageKey, tokens.refreshToken);
    setHasEnded(false);
    await refresh().catch((error: unknown) => {
      if (isSignedOut(error)) throw error;
      setMe(undefined);
      setFailure(error);
    });
  };
  const end = async ({ hasEnded: ended } = { hasEnded: false }): Promise<void> => {
    // A refused sign-in does not end the current session.
    if (!me) return;
    const refreshToken = sessionStorage.getItem(storageKey);
    forget();
    setHasEnded(ended);
    if (!ended) removeDrafts();
    if (!refreshToken) return;
    if (!ended) tabs.current?.signedOut(refreshToken);
    await accounts.signOut(refreshToken).catch(() => undefined);
  };

  const restore = async (): Promise<void> => {
    setFailure(undefined);
    const refreshToken = sessionStorage.getItem(storageKey) ?? (await tabs.current?.fromOtherTab());
    if (!refreshToken) return setMe(null);
    // A failure of the network or of a server does not end a session.
    await accounts
      .refresh(refreshToken)
      .then(begin)
      .catch((error: unknown) => (isSignedOut(error) ? forget() : setFailure(error)));
  };
  useEffect(removeExpiredAttempts, []);
  useEffect(() => {
    const shared = shareSession({
      refreshToken: () => sessionStorage.getItem(storageKey),
      onSignedOut: () => {
        forget();
        removeDrafts();
      },
    });
    tabs.current = shared;
    void restore();
    return shared.close;
  }, [accounts]);

  const tokens = async () => {
    const refreshToken = sessionStorage.getItem(storageKey);
    return { accessToken: await token.current(), ...(refreshToken !== null && { refreshToken }) };
  };
  if (failure !== undefined)
    return (
      <main class="alone">
        <h1>Odis console</h1>
        <Failure what="your account" error={failure} onRetry={() => void restore()} />
      </main>
    );
  const value = { deployment, odis, readCsv, accounts, me, hasEnded, tokens, begin, refresh, end };
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

/** Whether a request failed because the person is no longer signed in. */
export const isSignedOut = (error: unknown): boolean =>
  (error instanceof OdisProblem && error.status === 401) ||
  (error instanceof SignInError && error.code === "NotAuthorizedException");
