import { createHash, createHmac, getDiffieHellman, randomBytes, timingSafeEqual } from "node:crypto";

/** The 3072-bit group of RFC 3526 with Cognito's generator. */
const prime = numberOf(getDiffieHellman("modp15").getPrime());
const generator = 2n;
const k = numberOf(hash(padded(prime), padded(generator)));

/** The verifier that a pool stores instead of a password. */
export type Verifier = {
  /** 16 bytes in hexadecimal. */
  readonly salt: string;
  /** Hexadecimal. */
  readonly verifier: string;
};

/** The owner of a password. `username` is the pool's own name of the user, not an alias. */
export type Owner = { readonly poolId: string; readonly username: string };

/** Returns the verifier of a password. @param salt default: a new one */
export function verifierOf(owner: Owner, password: string, salt = newSalt()): Verifier {
  const identity = hash(Buffer.from(`${nameOf(owner)}:${password}`));
  const x = numberOf(hash(padded(BigInt(`0x${salt}`)), identity));
  return { salt, verifier: power(generator, x).toString(16) };
}

/** The server's side of an exchange (RFC 5054, section 2.5.3). */
export type Exchange = {
  /** The server's public value in hexadecimal. */
  readonly srpB: string;
  /**
   * Whether a signature proves that the client knows the password. Signature and secret block are base64. `timestamp`
   * is the text that the client sent.
   */
  readonly isProvenBy: (proof: { secretBlock: string; timestamp: string; signature: string }) => boolean;
};

/** @param srpA the client's public value in hexadecimal */
export function beginExchange(owner: Owner, { verifier }: Verifier, srpA: string): Exchange {
  const [A, v, b] = [BigInt(`0x${srpA}`), BigInt(`0x${verifier}`), numberOf(randomBytes(32))];
  const B = (k * v + power(generator, b)) % prime;
  return {
    srpB: B.toString(16),
    isProvenBy({ secretBlock, timestamp, signature }) {
      if (A % prime === 0n) return false;
      const u = numberOf(hash(padded(A), padded(B)));
      const secret = power(A * power(v, u), b);
      const seed = createHmac("sha256", padded(u)).update(padded(secret)).digest();
      const key = createHmac("sha256", seed).update("Caldera Derived Key\u0001").digest().subarray(0, 16);
      const message = [nameOf(owner), Buffer.from(secretBlock, "base64"), timestamp];
      const expected = message.reduce((mac, part) => mac.update(part), createHmac("sha256", key)).digest();
      const given = Buffer.from(signature, "base64");
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

/** The salt of an unknown user. It is always the same, as for a real user. */
export const seemingSalt = (username: string): string =>
  hash(Buffer.from(`nobody ${username}`))
    .subarray(0, 16)
    .toString("hex")
    .replace(/^0+/, "1");

/** Returns a salt whose first byte is not zero, because clients disagree on its padding. */
const newSalt = (): string => Buffer.from([1 + ((randomBytes(1)[0] ?? 0) % 255), ...randomBytes(15)]).toString("hex");

const nameOf = ({ poolId, username }: Owner): string => `${poolId.slice(poolId.indexOf("_") + 1)}${username}`;

/** Modular exponentiation. */
const power = (base: bigint, exponent: bigint): bigint =>
  Array.from(exponent.toString(2)).reduce((result, bit) => (result * result * (bit === "1" ? base : 1n)) % prime, 1n);

function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString("hex")}`);
}

/** Converts a number to big-endian bytes, with a leading zero byte if the first bit is set, as in signed numbers. */
function padded(number: bigint): Buffer {
  const digits = number.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
  return (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes;
}

function hash(...parts: readonly Buffer[]): Buffer {
  return createHash("sha256").update(Buffer.concat(parts)).digest();
}
