import { createHash } from "node:crypto";
import { exportJWK, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from "jose";

export type Signer = {
  /** The public half, as the pool publishes it. */
  readonly jwks: { readonly keys: PublicKey[] };
  sign(claims: JWTPayload): Promise<string>;
  /** @throws Error for a token that is not ours, was altered or has expired */
  verify(token: string): Promise<JWTPayload>;
};

type PublicKey = { kty: string; n: string; e: string; kid: string; alg: string; use: string };

/** A new RSA key for every start, so that no token outlives the stack that made it. */
export async function createSigner(poolId: string): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const { kty = "", n = "", e = "" } = await exportJWK(publicKey);
  // The same in every start: for a key id that it does not know, a verifier would ask AWS.
  const kid = createHash("sha256").update(poolId).digest("base64");
  return {
    jwks: { keys: [{ kty, n, e, kid, alg: "RS256", use: "sig" }] },
    sign: (claims) => new SignJWT(claims).setProtectedHeader({ kid, alg: "RS256" }).sign(privateKey),
    verify: async (token) => (await jwtVerify(token, publicKey, { algorithms: ["RS256"] })).payload,
  };
}
