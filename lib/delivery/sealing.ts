import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { env } from "../env.ts";
import { bytesOf, machine, type Runtime } from "../runtime.ts";
import { cached, readSecret } from "../secrets.ts";

/**
 * Encrypts secrets for the table with AES-256-GCM, under a key from Secrets Manager. A text can be decrypted only for the
 * purpose for which it was encrypted.
 */
export type Sealing = {
  readonly seal: (text: string, purpose: string) => string;
  /** @throws Error if the text was altered, or encrypted for another purpose */
  readonly open: (sealed: string, purpose: string) => string;
};

const algorithm = "aes-256-gcm";
const [ivBytes, tagBytes] = [12, 16];

export function sealingWith(secret: string, runtime: Pick<Runtime, "random"> = machine): Sealing {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "odis event destinations", 32));
  return {
    seal(text, purpose) {
      const iv = bytesOf(runtime, ivBytes);
      const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(purpose));
      const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString("base64");
    },
    open(sealed, purpose) {
      const bytes = Buffer.from(sealed, "base64");
      const [iv, tag] = [bytes.subarray(0, ivBytes), bytes.subarray(ivBytes, ivBytes + tagBytes)];
      const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagBytes })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(tag);
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString("utf8");
    },
  };
}

const readKey = cached(async (signal) => sealingWith(await readSecret(env("SEALING_KEY_ARN"), signal)));

/**
 * The sealing of the stage. Its key is cached for five minutes. Texts under another key cannot be decrypted.
 *
 * @throws Problem `unavailable` if Secrets Manager cannot be reached
 */
export async function openSealing(signal?: AbortSignal, now?: Date): Promise<Sealing> {
  const given = env("SEALING_KEY");
  return given === undefined ? readKey(signal, now) : sealingWith(given);
}
