import { bytesOf, type Runtime } from "../runtime.ts";
import type { Sealing } from "./sealing.ts";

/** How long the previous secret also signs after a rotation, in milliseconds. */
const overlap = 24 * 60 * 60 * 1000;

/** A new secret in the format of Standard Webhooks: `whsec_` and 24 random bytes in base64. */
export const newSecret = (runtime: Pick<Runtime, "random">): string =>
  `whsec_${Buffer.from(bytesOf(runtime, 24)).toString("base64")}`;

/** The stored form of a secret: encrypted for its destination, with its last four characters. */
export const storedSecret = (secret: string, destinationId: number, { seal }: Sealing) => ({
  secret: seal(secret, purposeOf(destinationId)),
  secret_hint: secret.slice(-4),
});

/** Time until which a secret that is replaced now also signs. */
export const overlapFrom = (now: Date): Date => new Date(now.getTime() + overlap);

/** The purpose for which a destination's secret is encrypted. */
export const purposeOf = (destinationId: number): string => `destination ${destinationId}`;
