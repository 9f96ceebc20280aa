import { bytesOf, type Runtime } from "../runtime.ts";
import type { Sealing } from "./sealing.ts";

/** A new secret in the format of Standard Webhooks: `whsec_` and 24 random bytes in base64. */
export const newSecret = (runtime: Pick<Runtime, "random">): string =>
  `whsec_${Buffer.from(bytesOf(runtime, 24)).toString("base64")}`;

/** The stored form of a secret: encrypted for its destination, with its last four characters. */
export const storedSecret = (secret: string, destinationId: number, { seal }: Sealing) => ({
  secret: seal(secret, purposeOf(destinationId)),
  secret_hint: secret.slice(-4),
});

/** The purpose for which a destination's secret is encrypted. */
export const purposeOf = (destinationId: number): string => `destination ${destinationId}`;
