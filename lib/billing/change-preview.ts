import * as v from "valibot";
import type { ChangeOutcome, ChangeRequest, Price } from "../domain/change.ts";
import { Problem } from "../problem.ts";
import { openSigned, type Scope, sign } from "../signed-text.ts";

/** How long a preview can be confirmed, in milliseconds. */
const validMs = 10 * 60_000;

/** What a preview promises: the outcome of a change to a price. */
export type Promised = Omit<ChangeOutcome, "status" | "preview_id"> & Price & { readonly price_id: string };

const Preview = v.object({ id: v.string(), at: v.number(), promised: v.string() });

/** A preview is valid for one subscription and one body. */
const scopeOf = (subscription: string, { tier_id, interval }: ChangeRequest): Scope => [
  "change",
  subscription,
  tier_id ?? null,
  interval ?? null,
];

/** Signs what was previewed. `id` is unique. */
export function signPreview(
  subscription: string,
  request: ChangeRequest,
  promised: Promised,
  { id, now }: { readonly id: string; readonly now: Date },
): string {
  const preview: v.InferOutput<typeof Preview> = { id, at: now.getTime(), promised: JSON.stringify(promised) };
  return sign(scopeOf(subscription, request), JSON.stringify(preview));
}

/**
 * Returns the id of a preview that the caller confirms.
 *
 * @throws Problem `preview_expired` if it is too old or of another request, or if the change would no longer be what it
 *   promised
 */
export function confirmedPreview(
  subscription: string,
  request: ChangeRequest & { readonly preview_id: string },
  promised: Promised,
  now: Date,
): string {
  const text = openSigned(scopeOf(subscription, request), request.preview_id);
  const preview = text === undefined ? undefined : v.parse(Preview, JSON.parse(text));
  if (!preview || now.getTime() - preview.at > validMs || preview.promised !== JSON.stringify(promised))
    throw new Problem("preview_expired");
  return preview.id;
}
