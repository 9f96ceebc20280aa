import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { accessClaims, issuerOf, newSession, type Pool, secondsNow } from "./cognito/claims.ts";
import { createSigner, type Signer } from "./cognito/keys.ts";
import { operations } from "./cognito/operations.ts";
import { type Outcome, refused } from "./cognito/outcome.ts";
import { signUpOperations } from "./cognito/sign-up.ts";
import type { ConfirmationEvent, TokenEvent } from "./cognito/trigger.ts";
import { type NewUser, openDirectory, type User } from "./cognito/users.ts";
import { type HttpAnswer, type HttpRequest, headerOf, serve } from "./loopback.ts";

type Options = Pool & {
  /** Keeps the users; without one they are gone at the end. */
  readonly stateFile?: string;
  /** The trigger, called with an event of version 2 before tokens are issued. */
  readonly preTokenGeneration: (event: TokenEvent) => Promise<unknown>;
  /** The trigger that is called once a sign-up or a new password was confirmed. */
  readonly postConfirmation?: (event: ConfirmationEvent) => Promise<unknown>;
};

export type Cognito = {
  readonly url: string;
  /** The pool's public keys, for `verifier.cacheJwks`. */
  readonly jwks: Signer["jwks"];
  /** Adds a user; one of the same name is replaced. */
  readonly addUser: (user: NewUser) => Promise<User>;
  /** An access token made without a sign-in; `claims` win over the usual ones, whatever they are. */
  readonly sign: (token: {
    readonly sub: string;
    readonly username: string;
    readonly groups?: readonly string[];
    readonly claims?: Readonly<Record<string, unknown>>;
    /** Seconds from now; a negative number makes a token that has expired. */
    readonly expiresIn: number;
  }) => Promise<string>;
  readonly close: () => Promise<void>;
};

/** A Cognito user pool with one app client, on this machine: sign-in, refresh, sign-out and public keys. */
export async function startCognito({
  stateFile,
  preTokenGeneration,
  postConfirmation = async () => {},
  ...pool
}: Options): Promise<Cognito> {
  const signer = await createSigner(pool.poolId);
  const directory = openDirectory(stateFile);
  const operate = {
    ...operations({ pool, directory, signer, preTokenGeneration }),
    ...signUpOperations({ pool, directory, postConfirmation }),
  };
  const documents: Readonly<Record<string, object>> = {
    [`/${pool.poolId}/.well-known/jwks.json`]: signer.jwks,
    [`/${pool.poolId}/.well-known/openid-configuration`]: configuration(pool),
  };

  const { url, close } = await serve({ port: 0, maxBodyBytes: 128 * 1024 }, async (request) => {
    const document = documents[request.target];
    if (request.method === "GET" && document) return answer(200, "application/json", document);
    if (request.method !== "POST" || request.target !== "/") return answer(404, "application/json", {});
    return operated(await outcomeOf(request));
  });

  async function outcomeOf(request: HttpRequest): Promise<Outcome> {
    const [service, name = ""] = (headerOf(request, "x-amz-target") ?? "").split(".");
    const operation = Object.entries(operate).find(([known]) => known === name)?.[1];
    if (service !== "AWSCognitoIdentityProviderService" || !operation)
      return refused("UnknownOperationException", "The operation is not one of this stand-in");
    try {
      return await operation(JSON.parse(request.body?.toString() ?? ""));
    } catch (failure) {
      if (failure instanceof SyntaxError) return refused("SerializationException", "The body is not JSON");
      if (v.isValiError(failure)) return refused("InvalidParameterException", failure.message);
      throw failure;
    }
  }

  return {
    url,
    jwks: signer.jwks,
    addUser: directory.add,
    sign: ({ sub, username, groups = [], claims = {}, expiresIn }) =>
      signer.sign({
        ...accessClaims(pool, newSession(sub), { username, groups: [...groups] }),
        exp: secondsNow() + expiresIn,
        ...claims,
      }),
    close,
  };
}

const operated = ({ status, body, error }: Outcome): HttpAnswer => {
  const { headers, ...rest } = answer(status, "application/x-amz-json-1.1", body);
  return { ...rest, headers: error === undefined ? headers : [...headers, ["x-amzn-errortype", `${error}:`]] };
};

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
