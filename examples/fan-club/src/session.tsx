import {
  createOdis,
  createSession,
  createSignIn,
  type Deployment,
  type Odis,
  OdisProblem,
  type Session,
  type SignIn,
  SignInError,
} from "@odis/client";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { Failure } from "./parts/notice.tsx";
import { Page } from "./parts/page.tsx";
import { useRequest } from "./use-request.ts";

export type User = { readonly email: string; readonly first_name: string; readonly last_name: string };

type AppSession = {
  readonly deployment: Deployment;
  readonly odis: Odis;
  readonly accounts: SignIn;
  readonly session: Session;
  /** The person who is signed in; null for a visitor, undefined until that is known. */
  readonly user: User | null | undefined;
  readonly reloadUser: () => void;
};

const Context = createContext<AppSession | undefined>(undefined);

export function useSession(): AppSession {
  const session = useContext(Context);
  if (!session) throw new Error("useSession is called outside of SessionProvider");
  return session;
}

type Props = { readonly deployment: Deployment; readonly children: ComponentChildren };

export function SessionProvider({ deployment, children }: Props) {
  const { odis, accounts, session } = useMemo(() => {
    const signIn = createSignIn(deployment);
    // Whoever can run a script in this page can read the storage: serve the app with a Content-Security-Policy.
    const stored = createSession({ signIn, storage: localStorage });
    return { odis: createOdis({ ...deployment, token: stored.token }), accounts: signIn, session: stored };
  }, [deployment]);

  const [state, setState] = useState(session.state);
  useEffect(() => {
    const update = () => setState(session.state());
    update();
    return session.subscribe(update);
  }, [session]);

  const { data, error, reload } = useRequest(
    async (signal) => {
      const me = state.status === "signed_in" ? await odis.get("/odis/v1/me", { signal }) : undefined;
      return { state, user: state.status === "restoring" ? undefined : (me?.user ?? null) };
    },
    [odis, state],
  );
  if (error !== undefined)
    return (
      <main>
        <Page title="One moment" kind="narrow">
          <Failure title="We could not sign you in" error={error} onRetry={reload} />
        </Page>
      </main>
    );
  const user = data?.state === state ? data.user : undefined;
  return (
    <Context.Provider value={{ deployment, odis, accounts, session, user, reloadUser: reload }}>
      {children}
    </Context.Provider>
  );
}

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
  NotAuthorizedException: "That password is not right.",
  already_a_member: "You are already a member of this community.",
  community_archived: "This community does not take new members.",
  expired_token: "Your session has ended. Sign in again.",
  insufficient_user_authentication: "For this, sign out and sign in again first.",
  invalid_token: "Your session has ended. Sign in again.",
  member_blocked: "The owner of this community has blocked your membership.",
  no_subscription: "There is no subscription to manage yet.",
  too_many_requests: "That was a lot at once. Wait a moment and try again.",
  unknown_tier: "This tier is no longer offered.",
};
