import type { SignedIn, SignIn } from "./sign-in.ts";

/**
 * The `token` of `createOdis` for a person who is signed in. The access token is refreshed one minute before it expires, and
 * if it is the token that the API has rejected as expired, once for all requests that wait for it.
 *
 * @param onRefresh gets the new tokens, for example to store them. Requests wait until it has
 * @returns a function that throws `SignInError` `NotAuthorizedException` once the session has ended
 */
export function tokenOf(
  { refresh }: Pick<SignIn, "refresh">,
  signedIn: Omit<SignedIn, "idToken">,
  onRefresh: (session: SignedIn) => void | Promise<void> = () => {},
): (rejected?: string) => Promise<string> {
  let session = signedIn;
  let refreshing: Promise<void> | undefined;

  async function renew(refreshToken: string): Promise<void> {
    const refreshed = await refresh(refreshToken);
    session = refreshed;
    await onRefresh(refreshed);
  }

  return async (rejected) => {
    const { accessToken, refreshToken, expiresAt } = session;
    if (refreshToken !== undefined && (rejected === accessToken || Date.now() >= expiresAt - 60_000)) {
      refreshing ??= renew(refreshToken).finally(() => {
        refreshing = undefined;
      });
      await refreshing;
    }
    return session.accessToken;
  };
}
