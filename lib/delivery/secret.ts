import { bytesOf, type Runtime } from "../runtime.ts";
import type { Sealing } from "./sealing.ts";

/** How long the old secret signs too after a rotation, in milliseconds. */
const overlap = 24 * 60 * 60 * 1000;

/** A new secret, as Standard Webhooks writes them: 24 random bytes in base64 after `whsec_`. */
export const newSecret = (runtime: Pick<Runtime, "random">): string =>
  `whsec_${Buffer.from(bytesOf(runtime, 24)).toString("base64")}`;

/** What is stored of a secret: itself sealed for its destination, and its last four characters. */
export const storedSecret = (secret: string, destinationId: number, { seal }: Sealing) => ({
  secret: seal(secret, purposeOf(destinationId)),
  secret_hint: secret.slice(-4),
});

/** Until when the secret before signs too that is replaced now. */
export const overlapFrom = (now: Date): Date => new Date(now.getTime() + overlap);

/** What a secret of a destination is sealed for. */
export const purposeOf = (destinationId: number): string => `destination ${destinationId}`;
