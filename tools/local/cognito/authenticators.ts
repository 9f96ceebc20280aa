import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { openPending } from "./pending.ts";
import { invalidParameter, missingParameter, Refusal } from "./refusal.ts";
import { accessTokenOf, type Tokens } from "./tokens.ts";
import { base32, stepOf } from "./totp.ts";
import type { TokenSource } from "./trigger.ts";
import type { Directory, User } from "./users.ts";

export type Authenticators = ReturnType<typeof openAuthenticators>;

/** A challenge that has been sent to a user. */
type Challenge = { readonly name: string; readonly sub: string; readonly source: TokenSource };

const OfCaller = v.object({ AccessToken: v.optional(v.string()), Session: v.optional(v.string()) });
const VerifySoftwareToken = v.object({ ...OfCaller.entries, UserCode: v.pipe(v.string(), v.regex(/^\d+$/)) });
const SetUserMFAPreference = v.object({
  SoftwareTokenMfaSettings: v.optional(
    v.object({ Enabled: v.optional(v.boolean(), false), PreferredMfa: v.optional(v.boolean(), false) }),
  ),
  SMSMfaSettings: v.nullish(v.object({ Enabled: v.optional(v.boolean(), false) })),
});

/** The pending challenges and the authenticator apps. */
export function openAuthenticators({ directory, tokens }: { readonly directory: Directory; readonly tokens: Tokens }) {
  const challenges = openPending<Challenge>();
  /** Secrets of apps that are not verified yet, by `sub`. */
  const secrets = new Map<string, string>();
  /** The time step of the last used code, by `sub`. */
  const used = new Map<string, number>();

  function challenge(user: User, name: string, ChallengeParameters: object, source: TokenSource = "Authentication") {
    return { ChallengeName: name, ChallengeParameters, Session: challenges.add({ name, sub: user.sub, source }) };
  }

  /**
   * Returns the user of a challenge and a function that ends it. @throws Refusal if the challenge is unknown or has
   * expired
   */
  function challenged(Session: string | undefined, name: string, username: string | undefined) {
    if (Session === undefined) throw missingParameter("Session");
    if (!username) throw missingParameter("USERNAME");
    const pending = challenges.find(Session);
    const user = pending && directory.find(pending.sub);
    if (!user || pending.name !== name || directory.find(username)?.sub !== user.sub)
      throw new Refusal("NotAuthorizedException", "Invalid session for the user.");
    return { user, source: pending.source, end: () => challenges.remove(Session) };
  }

  /** Accepts each code of the user's app once. @throws Refusal */
  function useCode(user: User, code: string): void {
    const step = stepOf(user.totp_secret ?? "", code, Date.now());
    if (step === undefined) throw new Refusal("CodeMismatchException", "Invalid code received for user");
    if (step <= (used.get(user.sub) ?? 0))
      throw new Refusal("ExpiredCodeException", "Your software token has already been used once.");
    used.set(user.sub, step);
  }

  /** Returns the user who sets up an app: they are signed in, or their sign-in requires an app. */
  async function callerOf({ AccessToken, Session }: v.InferOutput<typeof OfCaller>) {
    if (AccessToken !== undefined) return { user: (await tokens.ownerOf(AccessToken)).user };
    const pending = Session === undefined ? undefined : challenges.find(Session);
    const user = pending?.name === "MFA_SETUP" ? directory.find(pending.sub) : undefined;
    if (!pending || !user || Session === undefined)
      throw new Refusal("NotAuthorizedException", "Invalid session for the user.");
    /** A session can be used once. The response contains the next session. */
    const next = () => {
      challenges.remove(Session);
      return { Session: challenges.add(pending) };
    };
    return { user, next };
  }

  return {
    challenge,
    challenged,
    useCode,
    operations: {
      async AssociateSoftwareToken(input: unknown): Promise<object> {
        const { user, next } = await callerOf(v.parse(OfCaller, input));
        const SecretCode = base32(randomBytes(32));
        secrets.set(user.sub, SecretCode);
        return { SecretCode, ...next?.() };
      },

      async VerifySoftwareToken(input: unknown): Promise<object> {
        const { UserCode, ...caller } = v.parse(VerifySoftwareToken, input);
        const { user, next } = await callerOf(caller);
        const totp_secret = secrets.get(user.sub);
        if (totp_secret === undefined)
          throw new Refusal("EnableSoftwareTokenMFAException", "No software token MFA has been associated");
        const step = stepOf(totp_secret, UserCode, Date.now());
        if (step === undefined) throw new Refusal("EnableSoftwareTokenMFAException", "Code mismatch");
        secrets.delete(user.sub);
        used.set(user.sub, step);
        directory.update(user, { totp_secret });
        return { Status: "SUCCESS", ...next?.() };
      },

      async SetUserMFAPreference(input: unknown): Promise<object> {
        const { user } = await tokens.ownerOf(accessTokenOf(input));
        const { SoftwareTokenMfaSettings: app, SMSMfaSettings: sms } = v.parse(SetUserMFAPreference, input);
        if (sms?.Enabled) throw invalidParameter("User does not have delivery config set to turn on SMS_MFA");
        if (app?.PreferredMfa && !app.Enabled) throw invalidParameter("A preferred MFA must be enabled");
        if (app?.Enabled && user.totp_secret === undefined)
          throw invalidParameter("User has not verified software token mfa");
        if (app) directory.update(user, { has_totp: app.Enabled });
        return {};
      },
    },
  };
}
