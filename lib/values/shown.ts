import * as v from "valibot";
import { lengthOf, limits, limitsOfVisible, rule, wellFormed } from "./scalars.ts";
import { isPlain, looksBlank } from "./shown-text.ts";

const plain = (isLong: boolean) =>
  rule(
    "invalid_format",
    (value: string) => isPlain(value, { isLong }),
    `must have no ${isLong ? "control characters but line breaks" : "control characters"}, and no direction overrides`,
  );
/** Refuses text without visible characters, except an empty text, which the check of the length refuses. */
export const visible = rule(
  "invalid_format",
  (value: string) => value === "" || !looksBlank(value),
  "must have characters that can be seen",
);

/**
 * A short text that other people see (`docs/api.md`, section 1): normalized to NFC, trimmed, without misleading
 * characters.
 */
export const shownText = (least: number, most: number) =>
  v.pipe(
    v.string(),
    v.trim(),
    wellFormed,
    v.normalize("NFC"),
    ...lengthOf(least, most),
    plain(false),
    visible,
    v.metadata(limitsOfVisible(least, most)),
  );

/** A long text that other people see. May have line breaks. */
export const shownProse = (most: number) =>
  v.pipe(
    v.string(),
    wellFormed,
    v.normalize("NFC"),
    ...lengthOf(0, most),
    plain(true),
    visible,
    v.metadata(limits(0, most)),
  );

/** Free text for internal use, such as notes. */
export const note = (most: number) =>
  v.pipe(v.string(), wellFormed, ...lengthOf(0, most), plain(true), v.metadata(limits(0, most)));

/** The name of a record. */
export const Name = shownText(1, 120);
