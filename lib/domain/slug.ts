import * as v from "valibot";
import { rule } from "../values/scalars.ts";
import { fold } from "./fold.ts";

const form = "must be 1 to 63 of a-z, 0-9 and hyphens, and not begin or end with a hyphen";

/** What a site keeps for itself, and the form of names in other scripts, which could look like another's. */
const reserved = "admin api app assets console docs explore health me odis static webhooks www".split(" ");
const isFree = (slug: string): boolean => !reserved.includes(slug) && !slug.startsWith("xn--");

/** A community's name in addresses; no two have the same. */
export const Slug = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, form),
  rule("not_allowed", isFree, "is reserved"),
  v.metadata({ not: { enum: reserved } }),
);

/** Slugs that a community may get by its name, the plainest first: `agave`, `agave-2` to `agave-9`, `agave-0c4d1b7f`. Reserved ones are left out. */
export function slugsOf({ name, uuid }: { readonly name: string; readonly uuid: string }): string[] {
  const words = fold(name).match(/[a-z0-9]+/g) ?? ["community"];
  const base = words.join("-").slice(0, 54).replace(/-$/, "");
  const numbers = Array.from({ length: 8 }, (_, n) => n + 2);
  return [base, ...[...numbers, uuid.slice(0, 8)].map((suffix) => `${base}-${suffix}`)].filter(isFree);
}
