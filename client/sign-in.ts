import { type Account, accountOf } from "./account.ts";
import { type Answer, type AuthenticationResult, cognitoOf, isRefusal, SignInError, type UserPool } from "./cognito.ts";
import { type SignUp, signUpOf } from "./sign-up.ts";
import { beginSrp, type PasswordVerifier } from "./srp.ts";

/** The tokens of a signed-in person. */
export type SignedIn = {
  /** The access token for requests to the API. */
  readonly accessToken: string;
  readonly idToken: string;
  /** Time at which both tokens expire, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** The refresh token for `refresh`, which does not return a new refresh token. */
  readonly refreshToken?: string;
};

/** An authenticator app that is being set up. */
export type TotpSetup = {
  /** The secret to enter in the app, in base32. */
  readonly secret: string;
  /** The secret as a URL `otpauth://totp/…`, for a QR code. */
  readonly address: string;
};

/**
 * The state of a sign-in: complete, or a challenge with a function that answers it. A wrong code or a new password that
 * the pool refuses throws a `SignInError`, and the same function can be called again within three minutes.
 */
export type SignInStep =
  | { readonly status: "signed_in"; readonly session: SignedIn }
  /** Somebody else has chosen the password, so the person must choose a new one. */
  | { readonly status: "new_password_required"; readonly answer: (newPassword: string) => Promise<SignInStep> }
  /** The pool asks for the six digits of the authenticator app. Each code can be used once. */
  | { readonly status: "totp_required"; readonly answer: (code: string) => Promise<SignInStep> }
  /** The pool requires an authenticator app, and the person has none. */
  | ({ readonly status: "totp_setup_required"; readonly answer: (code: string) => Promise<SignInStep> } & TotpSetup);

export type SignIn = SignUp &
  Account & {
    /**
     * Begins a sign-in by SRP, so that the password does not leave the device.
     *
     * @param username e-mail address
     * @throws SignInError `NotAuthorizedException` for an unknown user or a wrong password, `UserNotConfirmedException`,
     *   `PasswordResetRequiredException`, `UnprovenAccount`
     */
    readonly signIn: (username: string, password: string) => Promise<SignInStep>;
    /**
     * Returns new tokens with the person's current groups. @throws SignInError `NotAuthorizedException` if the session
     * has ended
     */
    readonly refresh: (refreshToken: string) => Promise<SignedIn>;
    /**
     * Sets up an authenticator app for a signed-in person. `confirm` takes the six digits that the app shows. Afterwards,
     * every sign-in requires a code. `confirm` also ends all sessions of the person, because they began without the app.
     * The person must sign in again.
     * @param username the account name that the app shows: the e-mail address
     */
    readonly setUpTotp: (
      session: Pick<SignedIn, "accessToken" | "refreshToken">,
      username: string,
    ) => Promise<TotpSetup & { readonly confirm: (code: string) => Promise<void> }>;
    /** Ends the session that a refresh token belongs to. */
    readonly signOut: (refreshToken: string) => Promise<void>;
  };

/** Sign-up and sign-in at a user pool. Needs no AWS credentials. */
export function createSignIn(pool: UserPool): SignIn {
  const { userPoolId, clientId: ClientId } = pool;
  const ask = cognitoOf(pool);

  /** Signs in one person. The pool's username is `USERNAME`, and `email` is what the person typed. */
  function challengesOf(USERNAME: string, email: string) {
    async function respond(ChallengeName: string, responses: object, Session?: string): Promise<SignInStep> {
      const ChallengeResponses = { USERNAME, ...responses };
      return stepOf(await ask("RespondToAuthChallenge", { ClientId, ChallengeName, ChallengeResponses, Session }));
    }

    async function stepOf({ AuthenticationResult, ChallengeName = "", Session }: Answer): Promise<SignInStep> {
      if (AuthenticationResult) return { status: "signed_in", session: sessionOf(AuthenticationResult) };
      const answerWith = (name: string) => (text: string) => respond(ChallengeName, { [name]: text }, Session);
      if (ChallengeName === "NEW_PASSWORD_REQUIRED")
        return { status: "new_password_required", answer: answerWith("NEW_PASSWORD") };
      if (ChallengeName === "SOFTWARE_TOKEN_MFA")
        return { status: "totp_required", answer: answerWith("SOFTWARE_TOKEN_MFA_CODE") };
      if (ChallengeName !== "MFA_SETUP")
        throw new SignInError(ChallengeName, `Unsupported challenge: ${ChallengeName}`);
      const associated = await ask("AssociateSoftwareToken", { Session });
      const answer = async (UserCode: string) => {
        const verified = await ask("VerifySoftwareToken", { Session: associated.Session, UserCode });
        return respond(ChallengeName, {}, verified.Session);
      };
      return { status: "totp_setup_required", ...setupOf(associated, email), answer };
    }

    return respond;
  }

  async function refreshed(refreshToken: string): Promise<SignedIn> {
    const AuthParameters = { REFRESH_TOKEN: refreshToken };
    const answer = await ask("InitiateAuth", { AuthFlow: "REFRESH_TOKEN_AUTH", ClientId, AuthParameters });
    return { refreshToken, ...sessionOf(answer.AuthenticationResult) };
  }

  return {
    ...signUpOf(ask, ClientId),
    ...accountOf(ask),

    async signIn(username, password) {
      const exchange = beginSrp(userPoolId);
      const AuthParameters = { USERNAME: username, SRP_A: exchange.srpA };
      const begun = await ask("InitiateAuth", { AuthFlow: "USER_SRP_AUTH", ClientId, AuthParameters });
      const challenge = begun.ChallengeParameters as PasswordVerifier;
      const proof = await exchange.prove(challenge, password, timestampOf(new Date()));
      return challengesOf(challenge.USER_ID_FOR_SRP, username)("PASSWORD_VERIFIER", proof);
    },

    refresh: refreshed,

    async setUpTotp({ accessToken: AccessToken, refreshToken }, username) {
      const setup = setupOf(await ask("AssociateSoftwareToken", { AccessToken }), username);
      const confirm = async (UserCode: string): Promise<void> => {
        await ask("VerifySoftwareToken", { AccessToken, UserCode });
        const SoftwareTokenMfaSettings = { Enabled: true, PreferredMfa: true };
        await ask("SetUserMFAPreference", { AccessToken, SoftwareTokenMfaSettings });
        // The API recognizes the app when it next issues a token. For an admin, that already ends all sessions.
        if (refreshToken) await refreshed(refreshToken).catch(ignoreEndedSession);
        await ask("GlobalSignOut", { AccessToken }).catch(ignoreEndedSession);
      };
      return { ...setup, confirm };
    },

    async signOut(refreshToken) {
      await ask("RevokeToken", { ClientId, Token: refreshToken });
    },
  };
}

function ignoreEndedSession(error: unknown): void {
  if (!isRefusal(error)) throw error;
}

function sessionOf(result: AuthenticationResult | undefined): SignedIn {
  if (!result) throw new SignInError("unknown", "Cognito gave no tokens");
  const { AccessToken: accessToken, IdToken: idToken, RefreshToken, ExpiresIn } = result;
  const expiresAt = Date.now() + ExpiresIn * 1000;
  return { accessToken, idToken, expiresAt, ...(RefreshToken && { refreshToken: RefreshToken }) };
}

/** The format is that of Google Authenticator's key URIs, which all apps read. */
function setupOf({ SecretCode: secret = "" }: Answer, username: string): TotpSetup {
  return { secret, address: `otpauth://totp/Odis:${encodeURIComponent(username)}?secret=${secret}&issuer=Odis` };
}

/** `Sun, 01 Nov 2026 09:05:00 GMT` → `Sun Nov 1 09:05:00 UTC 2026` */
function timestampOf(now: Date): string {
  const [weekday, day, month, year, time] = now.toUTCString().split(/,? /);
  return `${weekday} ${month} ${Number(day)} ${time} UTC ${year}`;
}
