import type { SignedIn, SignIn } from "./sign-in.ts";

/**
 * The `token` of `createOdis` for a person who is signed in. One minute before the access token expires, it is refreshed,
 * once for all requests that wait for it.
 *
 * @param onRefresh gets the new tokens, for example to store them
 * @returns a function that throws `SignInError` `NotAuthorizedException` once the session has ended
 */
export function tokenOf(
  { refresh }: Pick<SignIn, "refresh">,
  signedIn: SignedIn,
  onRefresh: (session: SignedIn) => void = () => {},
): () => Promise<string> {
  let session = signedIn;
  let refreshing: Promise<void> | undefined;

  async function renew(refreshToken: string): Promise<void> {
    session = await refresh(refreshToken);
    onRefresh(session);
  }

  return async () => {
    const { refreshToken, expiresAt } = session;
    if (refreshToken !== undefined && Date.now() >= expiresAt - 60_000) {
      refreshing ??= renew(refreshToken).finally(() => {
        refreshing = undefined;
      });
      await refreshing;
    }
    return session.accessToken;
  };
}
