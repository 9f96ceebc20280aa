import * as v from "valibot";
import { validationFailed } from "../problem.ts";
import { rule } from "../values/scalars.ts";
import { fold } from "./fold.ts";

const form = "must be 1 to 63 of a-z, 0-9 and hyphens, and not begin or end with a hyphen";

/** Slugs that the site reserves, and the prefix of encoded names in other scripts, which could imitate a slug. */
const reserved = "admin api app assets console docs explore health me odis static webhooks www".split(" ");
const isFree = (slug: string): boolean => !reserved.includes(slug) && !slug.startsWith("xn--");

/** The unique name of a community in URLs. */
export const Slug = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, form),
  rule("not_allowed", isFree, "is reserved"),
  v.metadata({ not: { enum: reserved } }),
);

/** Whether a slug would be taken for the id of a community. */
const isLikeId = (slug: string): boolean => /^\d+$/.test(slug);

/**
 * Refuses a new slug that consists of digits only. A community that has one may keep it.
 *
 * @throws Problem `validation_failed`
 */
export function assertNotLikeId(slug = "", current?: string): void {
  if (slug === current || !isLikeId(slug)) return;
  const message = "must not consist of digits only";
  throw validationFailed([{ pointer: "/community/slug", code: "not_allowed", message }]);
}

/** Free slugs for a name, simplest first: `agave`, `agave-2` to `agave-9`, `agave-0c4d1b7f`. None is reserved or like an id. */
export function slugsOf({ name, uuid }: { readonly name: string; readonly uuid: string }): string[] {
  const words = fold(name).match(/[a-z0-9]+/g) ?? ["community"];
  const joined = words.join("-").slice(0, 54).replace(/-$/, "");
  const base = isLikeId(joined) ? `community-${joined}`.slice(0, 54) : joined;
  const numbers = Array.from({ length: 8 }, (_, n) => n + 2);
  return [base, ...[...numbers, uuid.slice(0, 8)].map((suffix) => `${base}-${suffix}`)].filter(isFree);
}
