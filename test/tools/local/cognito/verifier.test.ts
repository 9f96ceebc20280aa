import { CognitoJwtVerifier } from "aws-jwt-verify";
import { decodeJwt } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSignIn } from "../../../../client/odis.ts";
import { type Cognito, startCognito } from "../../../../tools/local/cognito.ts";

const pool = { poolId: "eu-central-1_Test", clientId: "test1client", region: "eu-central-1" };
const anna = { username: "anna", password: "Secret-1", email: "anna@example.com" };

const open: Cognito[] = [];
let cognito: Cognito;
async function start({ poolId = pool.poolId } = {}): Promise<Cognito> {
  const started = await startCognito({ ...pool, poolId, preTokenGeneration: async (event) => event });
  await started.addUser(anna);
  open.push(started);
  return started;
}
beforeEach(async () => {
  cognito = await start();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ close }) => close()));
});

async function signIn({ url } = cognito, userPoolId = pool.poolId) {
  const step = await createSignIn({ userPoolId, clientId: pool.clientId, endpoint: url }).signIn("anna", "Secret-1");
  if (step.status !== "signed_in") throw new Error(step.status);
  return { AccessToken: step.session.accessToken, IdToken: step.session.idToken };
}

describe("aws-jwt-verify, as the functions use it,", () => {
  const verify = (token: string, userPoolId = pool.poolId) => {
    const verifier = CognitoJwtVerifier.create({ userPoolId, clientId: pool.clientId, tokenUse: "access" });
    verifier.cacheJwks(cognito.jwks);
    return verifier.verify(token);
  };

  test("aws-jwt-verify accepts access tokens, with and without a sign-in", async () => {
    expect(await verify((await signIn()).AccessToken)).toMatchObject({ username: "anna" });
    const made = await cognito.sign({
      sub: "s",
      username: "otto",
      groups: ["admin"],
      claims: { user_id: 7 },
      expiresIn: 60,
    });
    expect(await verify(made)).toMatchObject({ sub: "s", username: "otto", "cognito:groups": ["admin"], user_id: 7 });
  });

  test("aws-jwt-verify refuses an ID token", async () => {
    await expect(verify((await signIn()).IdToken)).rejects.toThrow("Token use not allowed: id");
  });

  test("aws-jwt-verify refuses an altered token", async () => {
    const [header, , signature] = (await signIn()).AccessToken.split(".");
    const claims = { ...decodeJwt((await signIn()).AccessToken), "cognito:groups": ["admin"] };
    const altered = [header, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
    await expect(verify(altered)).rejects.toThrow("Invalid signature");
  });

  test("aws-jwt-verify refuses a token that claims to need no signature", async () => {
    const [, claims, signature] = (await signIn()).AccessToken.split(".");
    const header = Buffer.from(JSON.stringify({ ...cognito.jwks.keys[0], alg: "none" })).toString("base64url");
    await expect(verify([header, claims, signature].join("."))).rejects.toThrow("algorithm not allowed: none");
    await expect(verify([header, claims, ""].join("."))).rejects.toThrow("JWT string does not consist of exactly 3");
  });

  test("aws-jwt-verify refuses the tokens of another pool, of another start and of another client", async () => {
    const otherPool = await start({ poolId: "eu-central-1_Other" });
    await expect(verify((await signIn(otherPool, "eu-central-1_Other")).AccessToken)).rejects.toThrow(
      "issuer not configured",
    );

    const otherStart = await start();
    await expect(verify((await signIn(otherStart)).AccessToken)).rejects.toThrow("Invalid signature");

    const claims = { client_id: "other" };
    await expect(verify(await cognito.sign({ sub: "s", username: "u", claims, expiresIn: 60 }))).rejects.toThrow(
      "Client ID not allowed: other",
    );
  });

  test("aws-jwt-verify refuses an expired token", async () => {
    await expect(verify(await cognito.sign({ sub: "s", username: "u", expiresIn: -60 }))).rejects.toThrow("expired");
  });
});
