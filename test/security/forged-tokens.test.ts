import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { show } from "#lib/contract/membership.ts";
import { subOf } from "../../tools/local/users.ts";
import { type Problem, pathOf, readAnswer, startApi } from "../support/api.ts";
import { aCommunity, type GivenCommunity } from "../support/given.ts";
import { sendBytes } from "../support/raw.ts";

const api = startApi();

/** A community whose owner has the user id of the tokens, so that the response shows whether a token was accepted. */
let community: GivenCommunity;
const owner = 70;
/** The public key of the pool, which is published. */
let publicKey: KeyObject;
beforeAll(async () => {
  community = await aCommunity(api.table, { owner_id: owner });
  const [key] = (api.stack.cognito.jwks as { keys: Record<string, string>[] }).keys;
  publicKey = createPublicKey({ key: key ?? {}, format: "jwk" });
});

const path = () => pathOf(show, { community_id: community.id });

async function ask(authorization: string) {
  const { status, headers, body } = await readAnswer(await api.send(path(), { headers: { authorization } }));
  return { status, code: (body as Problem).code, challenge: headers.get("x-amzn-remapped-www-authenticate"), body };
}

/** A valid token of the owner with changed claims. */
const signed = (claims: Record<string, unknown> = {}, expiresIn = 3600) =>
  api.stack.cognito.sign({ sub: subOf(owner), username: "u", claims: { user_id: owner, ...claims }, expiresIn });

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const decoded = (part = "") => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
const now = () => Math.floor(Date.now() / 1000);

/** A valid token with another header, signed again by `signer`. Default: with its original signature. */
async function withHeader(over: Record<string, unknown>, signer?: (text: string) => Buffer): Promise<string> {
  const [head, claims, signature] = (await signed()).split(".");
  const text = `${encoded({ ...decoded(head), ...over })}.${claims}`;
  return `${text}.${signer ? signer(text).toString("base64url") : signature}`;
}

async function tampered(): Promise<string> {
  const [head, claims, signature] = (await signed()).split(".");
  return `${head}.${encoded({ ...decoded(claims), "cognito:groups": ["admin"] })}.${signature}`;
}

const { privateKey: foreignKey, publicKey: foreignPublicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const { privateKey: ellipticKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const byForeignKey = (text: string) => sign("sha256", Buffer.from(text), foreignKey);
const hmac = (key: () => string | Buffer) => (text: string) => createHmac("sha256", key()).update(text).digest();
const pem = () => publicKey.export({ type: "spki", format: "pem" }).toString();
const modulus = () => Buffer.from(publicKey.export({ format: "jwk" }).n ?? "", "base64url");
const partsOf = async (from: number, to: number) => (await signed()).split(".").slice(from, to).join(".");

const pool = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_OdisLocal";
const replica = "https://issuer-cognito-idp.eu-central-1.amazonaws.com/eu-central-1_OdisLocal";

it.each<[string, () => Promise<string>]>([
  ["the algorithm none, without a signature", async () => `${await tokenOfNone("none")}.`],
  ["the algorithm None", async () => `${await tokenOfNone("None")}.`],
  ["two parts", () => partsOf(0, 2)],
  ["an empty signature", async () => `${await partsOf(0, 2)}.`],
  ["HS256 keyed with the PEM of the public key", () => withHeader({ alg: "HS256" }, hmac(pem))],
  ["HS256 keyed with the modulus of the public key", () => withHeader({ alg: "HS256" }, hmac(modulus))],
  ["RS512", () => withHeader({ alg: "RS512" }, (text) => sign("sha512", Buffer.from(text), foreignKey))],
  ["ES256", () => withHeader({ alg: "ES256" }, (text) => sign("sha256", Buffer.from(text), ellipticKey))],
  ["another key under the pool's key id", () => withHeader({}, byForeignKey)],
  [
    "a key that is embedded as jwk",
    () => withHeader({ jwk: foreignPublicKey.export({ format: "jwk" }) }, byForeignKey),
  ],
  ["a key at the address jku", () => withHeader({ jku: "http://127.0.0.1:1/jwks" }, byForeignKey)],
  ["no key id", () => withHeader({ kid: undefined })],
  ["a number as the key id", () => withHeader({ kid: 7 })],
  ["SQL as the key id", () => withHeader({ kid: "' OR 1=1 --" })],
  ["a path as the key id", () => withHeader({ kid: "../../../../dev/null" })],
  ["__proto__ as the key id", () => withHeader({ kid: "__proto__" })],
  ["an ID token", () => signed({ token_use: "id" })],
  ["another client", () => signed({ client_id: "another" })],
  ["a list of clients", () => signed({ client_id: [process.env.CLIENT_ID] })],
  ["another pool", () => signed({ iss: pool.replace("OdisLocal", "Other") })],
  ["the issuer with a slash", () => signed({ iss: `${pool}/` })],
  ["an expiry that is a text", () => signed({ exp: String(now() + 3600) })],
  ["not valid yet", () => signed({ nbf: now() + 600 })],
  ["the multi-region issuer of the same pool", () => signed({ iss: replica })],
  ["an unknown key id", () => withHeader({ kid: "unknown" }, byForeignKey)],
  ["changed claims", tampered],
  ["8 KB of a token", async () => `${await signed()}${"A".repeat(7000)}`],
])("a token with %s is 401 invalid_token", async (_, forged) => {
  const { status, code, challenge } = await ask(`Bearer ${await forged()}`);
  expect({ status, code }).toEqual({ status: 401, code: "invalid_token" });
  expect(challenge).toMatch(/^Bearer realm="odis", error="invalid_token", error_description="/);
});

const tokenOfNone = async (alg: string) => `${encoded({ alg })}.${await partsOf(1, 2)}`;

it("an expired token is 401 expired_token", async () => {
  expect(await ask(`Bearer ${await signed({}, -60)}`)).toMatchObject({ status: 401, code: "expired_token" });
});

it.each([-1, 0, 1.5, [owner], 2 ** 53, "70.0", " 70", "0x46", null, {}])(
  "the claim user_id counts as absent if it is %j",
  async (user_id) => {
    const token = await signed({ user_id, sub: randomBytes(8).toString("hex") });
    expect(await ask(`Bearer ${token}`)).toMatchObject({ status: 200, body: { access: { reason: "not_a_member" } } });
  },
);

it("a token in the query is ignored", async () => {
  const answer = await readAnswer(await api.send(`${path()}?access_token=${await signed()}`));
  expect(answer).toMatchObject({ status: 401, body: { code: "missing_token" } });
});

it("two Authorization headers are refused", async () => {
  const token = await signed();
  const statusWith = async (tokens: readonly string[]) => {
    const authorization = tokens.flatMap((one) => ["authorization", `Bearer ${one}`]);
    const answer = await sendBytes(api.stack.url, { path: path(), headers: ["host", "127.0.0.1", ...authorization] });
    return answer.status;
  };
  expect(await statusWith([token])).toBe(200);
  expect(await statusWith(["nonsense", token])).toBe(401);
  expect(await statusWith([token, "nonsense"])).toBe(401);
});
