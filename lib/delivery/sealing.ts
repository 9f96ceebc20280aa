import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { env } from "../env.ts";
import { bytesOf, machine, type Runtime } from "../runtime.ts";
import { cached, readSecret } from "../secrets.ts";

/**
 * Encrypts texts that the table must not show, with AES-256-GCM under a key from Secrets Manager. A sealed text opens
 * only for the purpose that it was sealed for.
 */
export type Sealing = {
  readonly seal: (text: string, purpose: string) => string;
  /** @throws Error if it was altered, or sealed for another purpose */
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
 * The sealing of this stage. Its key is read anew after five minutes. What another key sealed cannot be opened any more.
 *
 * @throws Problem `unavailable` if Secrets Manager cannot be reached
 */
export async function openSealing(signal?: AbortSignal, now?: Date): Promise<Sealing> {
  const given = env("SEALING_KEY");
  return given === undefined ? readKey(signal, now) : sealingWith(given);
}
