import {
  createOdis,
  createSignIn,
  type Odis,
  OdisProblem,
  type SignedIn,
  type SignIn,
  SignInError,
  tokenOf,
} from "@odis/client";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Failure } from "./parts/notice.tsx";
import { Page } from "./parts/page.tsx";
import type { Settings } from "./settings.ts";

export type User = { readonly email: string; readonly first_name: string; readonly last_name: string };

type Session = {
  readonly settings: Settings;
  readonly odis: Odis;
  readonly accounts: SignIn;
  /** The person who is signed in; null for a visitor, undefined until that is known. */
  readonly user: User | null | undefined;
  readonly begin: (tokens: SignedIn) => Promise<void>;
  readonly end: () => Promise<void>;
};

const Context = createContext<Session | undefined>(undefined);

/** Survives a reload. Whoever can run a script in this page can read it: serve the app with a Content-Security-Policy. */
const storageKey = "fan-club.refresh-token";

export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error("useSession is called outside of SessionProvider");
  return session;
}

type Props = { readonly settings: Settings; readonly children: ComponentChildren };

export function SessionProvider({ settings, children }: Props) {
  const [user, setUser] = useState<User | null>();
  const [failure, setFailure] = useState<unknown>();
  const token = useRef<() => Promise<string>>(undefined);
  const { odis, accounts } = useMemo(
    () => ({
      odis: createOdis({ baseUrl: settings.apiUrl, token: () => token.current?.() }),
      accounts: createSignIn({
        userPoolId: settings.userPoolId,
        clientId: settings.clientId,
        ...(settings.signInUrl && { endpoint: settings.signInUrl }),
      }),
    }),
    [settings],
  );

  const forget = (): void => {
    localStorage.removeItem(storageKey);
    token.current = undefined;
    setUser(null);
  };
  const begin = async (tokens: SignedIn): Promise<void> => {
    token.current = tokenOf(accounts, tokens);
    if (tokens.refreshToken) localStorage.setItem(storageKey, tokens.refreshToken);
    const me = await odis.get("/odis/v1/me");
    setUser(me.user);
  };
  const end = async (): Promise<void> => {
    const refreshToken = localStorage.getItem(storageKey);
    forget();
    if (refreshToken) await accounts.signOut(refreshToken).catch(() => undefined);
  };

  const restore = (): void => {
    setFailure(undefined);
    const refreshToken = localStorage.getItem(storageKey);
    if (!refreshToken) return setUser(null);
    // A failure of the network or of a server does not end a session.
    accounts
      .refresh(refreshToken)
      .then(begin)
      .catch((error: unknown) => (hasEnded(error) ? forget() : setFailure(error)));
  };
  useEffect(restore, [accounts]);

  if (failure !== undefined)
    return (
      <main>
        <Page title="One moment" kind="narrow">
          <Failure title="We could not sign you in" error={failure} onRetry={restore} />
        </Page>
      </main>
    );
  return <Context.Provider value={{ settings, odis, accounts, user, begin, end }}>{children}</Context.Provider>;
}

/** Whether the session is over, as the sign-in or the API says. */
const hasEnded = (error: unknown): boolean =>
  (error instanceof SignInError && error.code === "NotAuthorizedException") ||
  (error instanceof OdisProblem && error.status === 401);

/** What to tell a person about an error of the API, of the sign-in, or of the network. */
export function messageOf(error: unknown): string {
  if (error instanceof OdisProblem || error instanceof SignInError)
    return messages[error.code] ?? `${error.message.replace(/\.$/, "")}.`;
  if (error instanceof TypeError) return "We could not reach the server. Check your connection and try again.";
  return error instanceof Error ? error.message : "Something went wrong.";
}

const messages: Readonly<Record<string, string>> = {
  CodeMismatchException: "That code is not right. Check the email, or ask for another code.",
  ExpiredCodeException: "That code has expired. Ask for another one.",
  InvalidPasswordException: "Choose a longer password, with a capital letter, a small letter and a digit.",
  LimitExceededException: "That was a lot at once. Wait a while and try again.",
  UsernameExistsException: "There is an account with this email address already. Sign in instead.",
  already_a_member: "You are already a member of this community.",
  community_archived: "This community does not take new members.",
  expired_token: "Your session has ended. Sign in again.",
  invalid_token: "Your session has ended. Sign in again.",
  member_blocked: "The owner of this community has blocked your membership.",
  no_subscription: "There is no subscription to manage yet.",
  too_many_requests: "That was a lot at once. Wait a moment and try again.",
  unknown_tier: "This tier is no longer offered.",
};
