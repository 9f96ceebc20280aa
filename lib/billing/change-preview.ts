import * as v from "valibot";
import type { ChangeRequest } from "../domain/change.ts";
import { Problem } from "../problem.ts";
import { openSigned, type Scope, sign } from "../signed-text.ts";
import { clockMargin } from "../values/clock-margin.ts";

/** How long a preview can be confirmed, in milliseconds. */
const validMs = 10 * 60_000;

const Preview = v.object({ id: v.string(), at: v.number(), promised: v.string() });
/** What a preview promises, `at` a time in milliseconds since 1970. `id` is unique. */
export type Preview = v.InferOutput<typeof Preview>;

/** A preview is valid for one kind of change, subscription and body. */
const scopeOf = (kind: "own" | "owner", subscription: string, { tier_id, interval }: ChangeRequest): Scope => [
  "change",
  kind,
  subscription,
  tier_id ?? null,
  interval ?? null,
];

/** The preview of a request, as a text that the caller sends back to confirm it. */
export const signPreview = (
  ...[kind, subscription, request, preview]: [...Parameters<typeof scopeOf>, Preview]
): string => sign(scopeOf(kind, subscription, request), JSON.stringify(preview));

/**
 * The preview that a request confirms. Undefined if it confirms none.
 *
 * @throws Problem `preview_expired` if the preview is too old, of another request, or from the future. Stripe prorates to
 * its time, so whoever learns the key could pay for the last hour of a period only
 */
export function openPreview(
  kind: "own" | "owner",
  subscription: string,
  request: ChangeRequest,
  now: Date,
): Preview | undefined {
  if (request.preview_id === undefined) return undefined;
  const text = openSigned(scopeOf(kind, subscription, request), request.preview_id);
  const preview = text === undefined ? undefined : v.parse(Preview, JSON.parse(text));
  const age = preview && now.getTime() - preview.at;
  if (age === undefined || age > validMs || age < -clockMargin) throw new Problem("preview_expired");
  return preview;
}
