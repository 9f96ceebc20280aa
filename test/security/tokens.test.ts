import { generateKeyPairSync, type webcrypto } from "node:crypto";
import { FetchError } from "aws-jwt-verify/error";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cognito, type Verify } from "#lib/auth/verify.ts";
import { Problem } from "#lib/problem.ts";

const pool = "eu-central-1_Pool";
const client = "client";
const regional = `https://cognito-idp.eu-central-1.amazonaws.com/${pool}`;
const jwksUri = `${regional}/.well-known/jwks.json`;
const global = `https://issuer-cognito-idp.eu-central-1.amazonaws.com/${pool}`;

const ours = await generateKeyPair("RS256", { extractable: true });
const theirs = await generateKeyPair("RS256");
const publicKey = { ...(await exportJWK(ours.publicKey)), kid: "ours", alg: "RS256", use: "sig" };

let now: Date;
let jwks: object | Error;
let fetched: string[];

/** Creates a verifier with its own clock. It fetches the keys from `jwks`. */
function verifier(): Verify {
  return cognito({
    now: () => now,
    fetcher: {
      fetch: async (uri) => {
        fetched.push(uri);
        if (jwks instanceof Error) throw jwks;
        return new TextEncoder().encode(JSON.stringify(jwks)).buffer;
      },
    },
  });
}

const later = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000);
};

beforeEach(() => {
  vi.stubEnv("USER_POOL_ID", pool);
  vi.stubEnv("CLIENT_ID", client);
  vi.stubEnv("JWKS", "");
  now = new Date("2026-11-21T00:00:00Z");
  jwks = { keys: [publicKey] };
  fetched = [];
});
afterEach(() => {
  vi.unstubAllEnvs();
});

type Forged = {
  readonly claims?: object;
  readonly kid?: string;
  readonly alg?: string;
  readonly key?: webcrypto.CryptoKey;
};

function token({ claims = {}, kid = "ours", alg = "RS256", key = ours.privateKey }: Forged = {}): Promise<string> {
  return new SignJWT({
    iss: regional,
    sub: "s",
    username: "u",
    token_use: "access",
    client_id: client,
    ...claims,
  })
    .setProtectedHeader({ alg, kid })
    .setExpirationTime("1h")
    .sign(key);
}

/** The status and code for a token. 200 if it is valid. */
async function outcome(verify: Verify, given: string): Promise<readonly [number, string?]> {
  try {
    await verify(given);
    return [200];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [error.status, error.code];
  }
}

const invalid = [401, "invalid_token"];

describe("the issuer and the keys of a token", () => {
  it("the multi-region issuer of the same pool is accepted, because its keys are the pool's", async () => {
    expect(await outcome(verifier(), await token({ claims: { iss: global } }))).toEqual([200]);
    expect(fetched).toEqual([`${global}/.well-known/jwks.json`]);
  });

  it.each([
    `${regional}/`,
    "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Other",
    "https://evil.example",
    "",
    7,
    null,
  ])("the issuer %j is 401 before any key is fetched", async (iss) => {
    expect(await outcome(verifier(), await token({ claims: { iss }, kid: "unknown" }))).toEqual(invalid);
    expect(fetched).toEqual([]);
  });

  it.each(["none", "HS256", "None", "RS256 ", ""])(
    "a token with the algorithm %j and a key of the pool is 401",
    async (alg) => {
      expect(await outcome(verifier(), withHeader(await token(), { alg, kid: "ours" }))).toEqual(invalid);
    },
  );

  it.each([undefined, 7, null, {}, ["ours"]])("the key id %j is 401 before any key is fetched", async (kid) => {
    expect(await outcome(verifier(), withHeader(await token(), { alg: "RS256", kid }))).toEqual(invalid);
    expect(fetched).toEqual([]);
  });

  it("20 tokens with unknown key ids are 401 and lead to one fetch in ten seconds", async () => {
    const verify = verifier();
    await verify.hydrate();
    later(60);
    fetched = [];
    for (let n = 0; n < 20; n++) {
      expect(await outcome(verify, await token({ kid: `k${n}`, key: theirs.privateKey }))).toEqual(invalid);
      later(0.4);
    }
    expect(fetched).toEqual([jwksUri]);
    later(2);
    await outcome(verify, await token({ kid: "k", key: theirs.privateKey }));
    expect(fetched).toEqual([jwksUri, jwksUri]);
  });

  it("an unknown key id is 401 and not 503 while the keys cannot be fetched, and valid tokens stay valid", async () => {
    const verify = verifier();
    await verify.hydrate();
    later(60);
    fetched = [];
    jwks = new FetchError(jwksUri, "getaddrinfo ENOTFOUND");
    for (let n = 0; n < 20; n++) expect(await outcome(verify, await token({ kid: `k${n}` }))).toEqual(invalid);
    expect(fetched).toHaveLength(1);
    expect(await outcome(verify, await token())).toEqual([200]);
  });

  it("a rotated key is accepted after at most ten seconds, by all requests that wait for the same fetch", async () => {
    const verify = verifier();
    await verify.hydrate();
    const rotated = await token({ kid: "new", key: theirs.privateKey });
    jwks = { keys: [publicKey, { ...(await exportJWK(theirs.publicKey)), kid: "new", alg: "RS256", use: "sig" }] };
    later(10);
    expect(await Promise.all([1, 2, 3].map(() => outcome(verify, rotated)))).toEqual([[200], [200], [200]]);
    expect(fetched).toHaveLength(2);
  });

  it("until the keys are fetched for the first time, a token is 503, and the keys are fetched once a second", async () => {
    const verify = verifier();
    jwks = new FetchError(jwksUri, "getaddrinfo ENOTFOUND");
    const given = await token();
    for (let n = 0; n < 20; n++) expect(await outcome(verify, given)).toEqual([503, "unavailable"]);
    expect(fetched).toHaveLength(1);
    later(1);
    jwks = { keys: [publicKey] };
    expect(await outcome(verify, given)).toEqual([200]);
  });

  it("with JWKS, as on the local stack, keys are never fetched", async () => {
    vi.stubEnv("JWKS", JSON.stringify({ keys: [publicKey] }));
    const verify = verifier();
    await verify.hydrate();
    for (const kid of ["unknown", "__proto__", "../../x"])
      expect(await outcome(verify, await token({ kid }))).toEqual(invalid);
    expect(await outcome(verify, await token())).toEqual([200]);
    expect(fetched).toEqual([]);
  });
});

it("an embedded key or key URL is ignored", async () => {
  const { publicKey: embedded } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const header = {
    alg: "RS256",
    kid: "ours",
    jwk: embedded.export({ format: "jwk" }),
    jku: "https://evil.example/jwks",
  };
  expect(await outcome(verifier(), withHeader(await token(), header))).toEqual(invalid);
  expect(fetched).toEqual([jwksUri]);
});

function withHeader(given: string, header: object): string {
  const [, ...rest] = given.split(".");
  return [Buffer.from(JSON.stringify(header)).toString("base64url"), ...rest].join(".");
}
