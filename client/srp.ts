/** The 3072-bit group of RFC 5054, appendix A, in hexadecimal. */
const primeDigits =
  "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD" +
  "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED" +
  "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F" +
  "83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B" +
  "E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510" +
  "15728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7" +
  "ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C" +
  "BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF";
const prime = BigInt(`0x${primeDigits}`);
/** Cognito's generator. RFC 5054 lists 5 for this prime. */
const generator = 2n;

/** The parameters of Cognito's challenge PASSWORD_VERIFIER. */
export type PasswordVerifier = {
  /** Hexadecimal. */
  readonly SALT: string;
  /** Hexadecimal. */
  readonly SRP_B: string;
  /** Base64. */
  readonly SECRET_BLOCK: string;
  /** The pool's username of the user, who may have signed in with an alias. */
  readonly USER_ID_FOR_SRP: string;
};

/** One sign-in by SRP, which proves to the server that the client knows the password without sending the password. */
export type SrpExchange = {
  /** The client's public value, in hexadecimal. */
  readonly srpA: string;
  /**
   * Returns the responses to the challenge PASSWORD_VERIFIER, without the username.
   * @param timestamp `Sun Nov 1 09:05:00 UTC 2026`
   * @throws Error if the server's values violate the protocol (RFC 5054, section 2.5.4)
   */
  readonly prove: (challenge: PasswordVerifier, password: string, timestamp: string) => Promise<Record<string, string>>;
};

/** @param userPoolId `eu-central-1_AbCdEfGhI` */
export function beginSrp(userPoolId: string): SrpExchange {
  const a = numberOf(crypto.getRandomValues(new Uint8Array(32)));
  const A = power(generator, a);
  const [, poolName = ""] = userPoolId.split("_");

  return {
    srpA: A.toString(16),
    async prove({ SALT, SRP_B, SECRET_BLOCK, USER_ID_FOR_SRP: USERNAME }, password, timestamp) {
      const B = BigInt(`0x${SRP_B}`);
      const [u, k] = [await hashed(padded(A), padded(B)), await hashed(padded(prime), padded(generator))];
      if (B % prime === 0n || numberOf(u) === 0n) throw new Error("Invalid SRP values");
      const identity = await hashed(textBytes(`${poolName}${USERNAME}:${password}`));
      const x = numberOf(await hashed(padded(BigInt(`0x${SALT}`)), identity));
      const base = B - numberOf(k) * power(generator, x);
      const secret = power(base, a + numberOf(u) * x);

      const seed = await signed(padded(numberOf(u)), padded(secret));
      const key = await signed(seed, textBytes("Caldera Derived Key\u0001"));
      const block = Uint8Array.from(atob(SECRET_BLOCK), (character) => character.charCodeAt(0));
      const message = joined(textBytes(poolName + USERNAME), block, textBytes(timestamp));
      const signature = await signed(key.slice(0, 16), message);
      return {
        TIMESTAMP: timestamp,
        PASSWORD_CLAIM_SECRET_BLOCK: SECRET_BLOCK,
        PASSWORD_CLAIM_SIGNATURE: btoa(String.fromCharCode(...signature)),
      };
    },
  };
}

/** Modular exponentiation. The result is not negative, even for a negative base. */
function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = ((base % prime) + prime) % prime;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % prime;
    square = (square * square) % prime;
  }
  return result;
}

type Bytes = Uint8Array<ArrayBuffer>;

const textBytes = (text: string): Bytes => new TextEncoder().encode(text);
const joined = (...parts: readonly Bytes[]): Bytes => Uint8Array.from(parts.flatMap((part) => [...part]));
const hashed = async (...parts: readonly Bytes[]): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts)));

async function signed(secret: Bytes, message: Bytes): Promise<Bytes> {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, message));
}

const numberOf = (bytes: Bytes): bigint =>
  BigInt(`0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`);

/** Converts a number to big-endian bytes, with a leading zero byte if the first bit is set, as in a signed integer. */
function padded(number: bigint): Bytes {
  const digits = number.toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  const pairs = (/^[89a-f]/.test(even) ? `00${even}` : even).match(/../g) ?? [];
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
}
