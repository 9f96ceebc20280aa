import { createHash } from "node:crypto";
import { exportJWK, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from "jose";

export type Signer = {
  /** The public keys that the pool publishes. */
  readonly jwks: { readonly keys: PublicKey[] };
  sign(claims: JWTPayload): Promise<string>;
  /** @throws Error for a token that is altered, expired or of another pool */
  verify(token: string): Promise<JWTPayload>;
};

type PublicKey = { kty: string; n: string; e: string; kid: string; alg: string; use: string };

/** Creates a new RSA key at every start, so that no token outlives its stack. */
export async function createSigner(poolId: string): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const { kty = "", n = "", e = "" } = await exportJWK(publicKey);
  // The key id is the same at every start, because a verifier would ask AWS for an unknown id.
  const kid = createHash("sha256").update(poolId).digest("base64");
  return {
    jwks: { keys: [{ kty, n, e, kid, alg: "RS256", use: "sig" }] },
    sign: (claims) => new SignJWT(claims).setProtectedHeader({ kid, alg: "RS256" }).sign(privateKey),
    verify: async (token) => (await jwtVerify(token, publicKey, { algorithms: ["RS256"] })).payload,
  };
}
