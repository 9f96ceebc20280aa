import * as v from "valibot";
import { Problem } from "../problem.ts";
import { Id, Timestamp } from "./scalars.ts";

const Redirect = v.pipe(v.string(), v.maxLength(2000), v.url("must be an address"));

export const CheckoutRequest = v.strictObject({ tier_id: Id, success_url: Redirect, cancel_url: Redirect });
export type CheckoutRequest = v.InferOutput<typeof CheckoutRequest>;

export const CheckoutSession = v.object({ id: v.string(), url: v.string(), expires_at: Timestamp });

export const PortalRequest = v.strictObject({ return_url: Redirect });

export const PortalSession = v.object({ url: v.string() });

/**
 * People are sent back only to addresses of our own applications.
 *
 * @throws Problem `validation_failed`, naming each field whose address is of another origin
 */
export function assertOurOrigins(addresses: Readonly<Record<string, string>>, origins: readonly string[]): void {
  const foreign = Object.entries(addresses).filter(([, address]) => !origins.includes(new URL(address).origin));
  if (foreign.length === 0) return;
  throw new Problem("validation_failed", {
    detail: `${foreign[0]?.[0]} must be of a configured origin`,
    errors: foreign.map(([name]) => ({
      pointer: `/${name}`,
      code: "foreign_origin",
      message: "must be of a configured origin",
    })),
  });
}
