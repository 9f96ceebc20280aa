import { randomBytes } from "node:crypto";
import * as v from "valibot";
import type { Authenticators } from "./authenticators.ts";
import type { Pool } from "./claims.ts";
import { assertPassword } from "./passwords.ts";
import { openPending } from "./pending.ts";
import { invalidParameter, missingParameter, Refusal, wrongCredentials } from "./refusal.ts";
import { beginExchange, type Exchange, seemingSalt, verifierOf } from "./srp.ts";
import { assertClient, type Tokens } from "./tokens.ts";
import type { Directory, User } from "./users.ts";

type SignInServices = {
  readonly pool: Pool;
  readonly directory: Directory;
  readonly tokens: Tokens;
  readonly authenticators: Authenticators;
  /** Whether an authenticator app is required. */
  readonly mfa: "OPTIONAL" | "ON";
};

const Parameters = v.optional(v.record(v.string(), v.string()), {});
type Parameters = v.InferOutput<typeof Parameters>;
const InitiateAuth = v.object({ AuthFlow: v.string(), ClientId: v.string(), AuthParameters: Parameters });
const RespondToAuthChallenge = v.object({
  ChallengeName: v.string(),
  ClientId: v.string(),
  ChallengeResponses: Parameters,
  Session: v.optional(v.string()),
});
type Response = v.InferOutput<typeof RespondToAuthChallenge>;

/** A password exchange in progress. `user` is undefined if the username is unknown. */
type Proof = { readonly user: User | undefined; readonly exchange: Exchange };

/**
 * The sign-in operations of an app client with the flows USER_SRP_AUTH, USER_PASSWORD_AUTH and REFRESH_TOKEN_AUTH.
 *
 * @see
 * https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-authentication-flow-methods.html
 */
export function signInOperations({ pool, directory, tokens, authenticators, mfa }: SignInServices) {
  /** Exchanges by secret block. As with Cognito, each accepts any number of proofs until it expires. */
  const proofs = openPending<Proof>();

  return {
    async InitiateAuth(input: unknown): Promise<object> {
      const { AuthFlow, ClientId, AuthParameters } = v.parse(InitiateAuth, input);
      assertClient(pool, ClientId);
      if (AuthFlow === "USER_SRP_AUTH") return beginSrp(AuthParameters);
      if (AuthFlow === "USER_PASSWORD_AUTH") return signInWithPassword(AuthParameters);
      if (AuthFlow === "REFRESH_TOKEN_AUTH" || AuthFlow === "REFRESH_TOKEN")
        return tokens.refresh(AuthParameters.REFRESH_TOKEN);
      throw invalidParameter(`${AuthFlow} flow not enabled for this client`);
    },

    async RespondToAuthChallenge(input: unknown): Promise<object> {
      const response = v.parse(RespondToAuthChallenge, input);
      const { ChallengeName, ClientId, ChallengeResponses } = response;
      assertClient(pool, ClientId);
      if (ChallengeName === "PASSWORD_VERIFIER") return provePassword(ChallengeResponses);
      if (ChallengeName === "NEW_PASSWORD_REQUIRED") return takeNewPassword(response);
      if (ChallengeName === "SOFTWARE_TOKEN_MFA") return takeCode(response);
      if (ChallengeName === "MFA_SETUP") return completeSetup(response);
      throw invalidParameter(`Unsupported challenge: ${ChallengeName}`);
    },
  };

  function beginSrp({ USERNAME, SRP_A }: Parameters): object {
    if (!USERNAME) throw missingParameter("USERNAME");
    if (!SRP_A) throw missingParameter("SRP_A");
    if (!/^[0-9a-fA-F]+$/.test(SRP_A)) throw invalidParameter("SRP_A is not a hexadecimal number");
    const user = directory.named(USERNAME);
    if (user?.status === "UNCONFIRMED") throw notConfirmed();
    const owner = { poolId: pool.poolId, username: user?.username ?? USERNAME };
    const verifier = user
      ? directory.verifier(user)
      : verifierOf(owner, randomBytes(16).toString("hex"), seemingSalt(USERNAME));
    const exchange = beginExchange(owner, verifier, SRP_A);
    const ChallengeParameters = {
      SALT: verifier.salt,
      SECRET_BLOCK: proofs.add({ user, exchange }),
      SRP_B: exchange.srpB,
      USERNAME: owner.username,
      USER_ID_FOR_SRP: owner.username,
    };
    return { ChallengeName: "PASSWORD_VERIFIER", ChallengeParameters };
  }

  async function provePassword(given: Parameters): Promise<object> {
    for (const name of ["USERNAME", "TIMESTAMP", "PASSWORD_CLAIM_SIGNATURE", "PASSWORD_CLAIM_SECRET_BLOCK"])
      if (!given[name]) throw missingParameter(name);
    const { TIMESTAMP = "", PASSWORD_CLAIM_SIGNATURE = "", PASSWORD_CLAIM_SECRET_BLOCK = "" } = given;
    if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d\d? \d\d:\d\d:\d\d UTC \d{4}$/.test(TIMESTAMP))
      throw invalidParameter("TIMESTAMP format should be EEE MMM d HH:mm:ss z yyyy in english.");
    const proof = proofs.find(PASSWORD_CLAIM_SECRET_BLOCK);
    const isProven = proof?.exchange.isProvenBy({
      secretBlock: PASSWORD_CLAIM_SECRET_BLOCK,
      timestamp: TIMESTAMP,
      signature: PASSWORD_CLAIM_SIGNATURE,
    });
    const user = proof?.user && directory.find(proof.user.sub);
    if (!user || !isProven) throw wrongCredentials();
    return afterPassword(user);
  }

  async function signInWithPassword({ USERNAME, PASSWORD }: Parameters): Promise<object> {
    if (!USERNAME) throw missingParameter("USERNAME");
    if (!PASSWORD) throw missingParameter("PASSWORD");
    const user = directory.named(USERNAME);
    if (user?.status === "UNCONFIRMED") throw notConfirmed();
    if (!user || !directory.hasPassword(user, PASSWORD)) throw wrongCredentials();
    return afterPassword(user);
  }

  /** Returns the next challenge of a user with a proven password, or their tokens. */
  async function afterPassword(user: User): Promise<object> {
    const { email, username: USER_ID_FOR_SRP, given_name, family_name } = user;
    if (user.status === "RESET_REQUIRED")
      throw new Refusal("PasswordResetRequiredException", "Password reset required for the user");
    if (user.status !== "FORCE_CHANGE_PASSWORD") return afterNewPassword(user);
    const attributes = { email_verified: String(user.email_verified), email, given_name, family_name };
    return authenticators.challenge(user, "NEW_PASSWORD_REQUIRED", {
      USER_ID_FOR_SRP,
      requiredAttributes: "[]",
      userAttributes: JSON.stringify(attributes),
    });
  }

  async function takeNewPassword({ Session, ChallengeResponses: { USERNAME, NEW_PASSWORD } }: Response) {
    const { user, end } = authenticators.challenged(Session, "NEW_PASSWORD_REQUIRED", USERNAME);
    if (!NEW_PASSWORD) throw missingParameter("NEW_PASSWORD");
    assertPassword(NEW_PASSWORD);
    directory.setPassword(user, NEW_PASSWORD);
    directory.update(user, { status: "CONFIRMED" });
    end();
    return afterNewPassword(user, true);
  }

  function afterNewPassword(user: User, isNew = false): Promise<object> | object {
    const source = isNew ? "NewPasswordChallenge" : "Authentication";
    const { username: USER_ID_FOR_SRP } = user;
    if (user.has_totp) return authenticators.challenge(user, "SOFTWARE_TOKEN_MFA", { USER_ID_FOR_SRP }, source);
    if (mfa === "OPTIONAL") return tokens.signIn(user, source);
    const MFAS_CAN_SETUP = JSON.stringify(["SOFTWARE_TOKEN_MFA"]);
    return authenticators.challenge(user, "MFA_SETUP", { USER_ID_FOR_SRP, MFAS_CAN_SETUP }, source);
  }

  async function takeCode({ Session, ChallengeResponses: { USERNAME, SOFTWARE_TOKEN_MFA_CODE } }: Response) {
    const { user, source, end } = authenticators.challenged(Session, "SOFTWARE_TOKEN_MFA", USERNAME);
    if (!SOFTWARE_TOKEN_MFA_CODE) throw missingParameter("SOFTWARE_TOKEN_MFA_CODE");
    authenticators.useCode(user, SOFTWARE_TOKEN_MFA_CODE);
    end();
    return tokens.signIn(user, source);
  }

  async function completeSetup({ Session, ChallengeResponses: { USERNAME } }: Response): Promise<object> {
    const { user, source, end } = authenticators.challenged(Session, "MFA_SETUP", USERNAME);
    if (user.totp_secret === undefined) throw invalidParameter("User has not verified software token mfa");
    directory.update(user, { has_totp: true });
    end();
    return tokens.signIn(user, source);
  }
}

const notConfirmed = () => new Refusal("UserNotConfirmedException", "User is not confirmed.");
