import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { accountOperations } from "./cognito/account.ts";
import { adminOperations } from "./cognito/admin.ts";
import { openAuthenticators } from "./cognito/authenticators.ts";
import { accessClaims, issuerOf, newSession, type Pool, secondsNow } from "./cognito/claims.ts";
import { createSigner, type Signer } from "./cognito/keys.ts";
import { openMailbox } from "./cognito/mailbox.ts";
import { invalidParameter, Refusal } from "./cognito/refusal.ts";
import { signInOperations } from "./cognito/sign-in.ts";
import { signUpOperations } from "./cognito/sign-up.ts";
import { openTokens } from "./cognito/tokens.ts";
import type { ConfirmationEvent, TokenEvent } from "./cognito/trigger.ts";
import { type NewUser, openDirectory, type User } from "./cognito/users.ts";
import { type Cors, preflight, withCors } from "./gateway/cors.ts";
import { type HttpAnswer, type HttpRequest, headerOf, loopbackOrigins, serve } from "./loopback.ts";

type PoolOptions = Pool & {
  /** Default: 0, a free port. */
  readonly port?: number;
  /** File that stores the users. Without a file, the users are lost when the process ends. */
  readonly stateFile?: string;
  /** Trigger that is called with an event of version 2 before tokens are issued. */
  readonly preTokenGeneration: (event: TokenEvent) => Promise<unknown>;
  /** Trigger that is called after a sign-up or a new password was confirmed. */
  readonly postConfirmation?: (event: ConfirmationEvent) => Promise<unknown>;
  /** `ON` requires an authenticator app of everyone. The deployed pool has `OPTIONAL`. */
  readonly mfa?: "OPTIONAL" | "ON";
  /** Origins whose pages may call the pool, such as `https://*`. Default: those of this machine. */
  readonly allowOrigins?: readonly string[];
};

export type Cognito = {
  readonly url: string;
  /** The pool's public keys, for `verifier.cacheJwks`. */
  readonly jwks: Signer["jwks"];
  /** Adds a user, or replaces the user with the same name. */
  readonly addUser: (user: NewUser) => Promise<User>;
  /** Signs an access token without a sign-in. `claims` override the usual claims. */
  readonly sign: (token: {
    readonly sub: string;
    readonly username: string;
    readonly groups?: readonly string[];
    readonly claims?: Readonly<Record<string, unknown>>;
    /** Lifetime in seconds. A negative number makes an expired token. */
    readonly expiresIn: number;
  }) => Promise<string>;
  readonly close: () => Promise<void>;
};

/**
 * Starts a Cognito user pool with one app client on this machine: the operations that need no AWS credentials, and the
 * public keys.
 */
export async function startCognito({
  port = 0,
  stateFile,
  preTokenGeneration,
  postConfirmation = async () => {},
  mfa = "OPTIONAL",
  allowOrigins = loopbackOrigins,
  ...pool
}: PoolOptions): Promise<Cognito> {
  const signer = await createSigner(pool.poolId);
  const directory = openDirectory(pool.poolId, stateFile);
  const mailbox = openMailbox();
  const tokens = openTokens({ pool, directory, signer, preTokenGeneration });
  const authenticators = openAuthenticators({ directory, tokens });
  const operations: Readonly<Record<string, (input: unknown) => Promise<object>>> = {
    ...signInOperations({ pool, directory, tokens, authenticators, mfa }),
    ...signUpOperations({ pool, directory, mailbox, postConfirmation }),
    ...tokens.operations,
    ...authenticators.operations,
    ...accountOperations({ directory, tokens, mailbox }),
    ...adminOperations({ directory, tokens, mailbox }),
  };
  const documents: Readonly<Record<string, object>> = {
    [`/${pool.poolId}/.well-known/jwks.json`]: signer.jwks,
    [`/${pool.poolId}/.well-known/openid-configuration`]: configuration(pool),
  };

  const cors: Cors = { allowOrigins, ...corsOfCognito };
  const { url, close } = await serve({ port, maxBodyBytes: 128 * 1024 }, async (request) => {
    const document = documents[request.target];
    if (request.method === "GET" && document) return withCors(cors, request, answer(200, json, document));
    if (request.target !== "/") return answer(404, json, {});
    return preflight(cors, request) ?? withCors(cors, request, await operate(request));
  });

  async function operate(request: HttpRequest): Promise<HttpAnswer> {
    const [service, name = ""] = (headerOf(request, "x-amz-target") ?? "").split(".");
    const operation = Object.entries(operations).find(([known]) => known === name)?.[1];
    try {
      if (request.method !== "POST" || service !== "AWSCognitoIdentityProviderService" || !operation)
        throw new Refusal("UnknownOperationException", "The operation is not one of this stand-in");
      return answer(200, amzJson, await operation(JSON.parse(request.body?.toString() ?? "")));
    } catch (failure) {
      const { type, message } = refusalOf(failure);
      const { headers, ...rest } = answer(400, amzJson, { __type: type, message });
      return { ...rest, headers: [...headers, ["x-amzn-errortype", `${type}:`]] };
    }
  }

  return {
    url,
    jwks: signer.jwks,
    addUser: async (user) => directory.add(user),
    sign: ({ sub, username, groups = [], claims = {}, expiresIn }) =>
      signer.sign({
        ...accessClaims(pool, newSession(sub), { username, groups: [...groups] }),
        exp: secondsNow() + expiresIn,
        ...claims,
      }),
    close,
  };
}

const json = "application/json";
const amzJson = "application/x-amz-json-1.1";

const corsOfCognito: Omit<Cors, "allowOrigins"> = {
  allowMethods: ["GET", "POST"],
  allowHeaders:
    "authorization cache-control content-type amz-sdk-invocation-id amz-sdk-request x-amz-target x-amz-user-agent".split(
      " ",
    ),
  exposeHeaders: ["x-amzn-requestid", "x-amzn-errortype", "date"],
};

/** Converts a failure to a response. @throws the failure itself if it is a bug of the stand-in */
function refusalOf(failure: unknown): Refusal {
  if (failure instanceof Refusal) return failure;
  if (failure instanceof SyntaxError) return new Refusal("SerializationException", "The body is not JSON");
  if (v.isValiError(failure)) return invalidParameter(failure.message);
  throw failure;
}

const answer = (status: number, type: string, body: object): HttpAnswer => ({
  status,
  headers: [
    ["content-type", type],
    ["x-amzn-requestid", randomUUID()],
  ],
  body: JSON.stringify(body),
});

const configuration = (pool: Pool) => ({
  id_token_signing_alg_values_supported: ["RS256"],
  issuer: issuerOf(pool),
  jwks_uri: `${issuerOf(pool)}/.well-known/jwks.json`,
  response_types_supported: ["code", "token"],
  scopes_supported: ["openid", "email", "phone", "profile"],
  subject_types_supported: ["public"],
});
