import * as v from "valibot";
import type { IssueCode } from "../problem.ts";

/** A check with the code and the message of its issue. */
export const rule = <T>(
  code: IssueCode,
  holds: (value: T) => boolean,
  message: string,
): v.BaseValidation<T, T, v.CheckIssue<T>> => ({ ...v.check(holds, message), expects: code });

/** One of the given texts. */
export const oneOf = <const T extends readonly string[]>(options: T) =>
  v.picklist(options, `must be one of ${options.join(", ")}`);

/** Ids of members, benefits, tiers, communities and users: positive and exact in JSON (`docs/api.md`, section 1). */
export const Id = v.pipe(
  v.number("must be an integer"),
  v.safeInteger(),
  v.minValue(1),
  v.metadata({ format: "int64" }),
);

/** Ids of brands and producers. Accepted in either case, and converted to lower case. */
export const Uuid = v.pipe(v.string(), v.uuid("must be a UUID"), v.toLowerCase());

/**
 * The form of a `Timestamp`. A pattern, because a parser for all forms of ISO 8601 adds a millisecond to a cold start.
 */
const utcTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** ISO 8601 in UTC with milliseconds: `2026-11-21T05:16:02.000Z`. */
export const Timestamp = v.pipe(
  v.string(),
  v.regex(utcTimestamp, "must be an ISO 8601 timestamp in UTC"),
  v.metadata({ format: "date-time" }),
);

/**
 * The time of an ISO 8601 timestamp in any of its forms: `2026-11-21 05:16:02+01`. Other forms than `2026-11-21T05:16:02+01:00` would be
 * parsed by rules of the JavaScript engine.
 */
const timeOf = (timestamp: string): Date =>
  new Date(
    timestamp.replace(" ", "T").replace(/([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = "00") => `${hours}:${minutes}`),
  );

/** Whether a day exists. `Date` takes February 30 for March 2. */
export function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

/** Whether a timestamp exists, and has a year of four digits in UTC. */
function exists(timestamp: string): boolean {
  const at = timeOf(timestamp);
  return isDay(timestamp.slice(0, 10)) && !Number.isNaN(at.getTime()) && utcTimestamp.test(at.toISOString());
}

/** An ISO 8601 time in any time zone, converted to a `Timestamp`. */
export const Instant = v.pipe(
  v.string(),
  v.isoTimestamp("must be a time with seconds and a time zone, such as 2026-11-21T05:16:02Z"),
  rule("invalid_format", exists, "must be a time that exists, in a year of four digits"),
  v.transform((value) => timeOf(value).toISOString()),
);

/** Whole cents of a US dollar. */
export const Cents = v.pipe(v.number("must be an integer"), v.safeInteger(), v.metadata({ format: "int64" }));

/** An integer between two limits. */
export const integer = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  v.pipe(
    v.number("must be an integer"),
    v.safeInteger(),
    v.minValue(least),
    v.maxValue(most),
    v.metadata({ format: "int64" }),
  );

/** Number of characters of a text: code points, as in JSON Schema. */
export const characters = (text: string): number => Array.from(text).length;

/** Refuses lone surrogates, because UTF-8 cannot encode them. They would be stored as other characters. */
export const wellFormed = rule(
  "invalid_format",
  (value: string) => value.isWellFormed(),
  "must be well-formed Unicode",
);

export const lengthOf = (least: number, most: number) => {
  const message = `must have ${least === 0 ? `at most ${most}` : `${least} to ${most}`} characters`;
  return [
    rule("too_short", (value: string) => characters(value) >= least, message),
    rule("too_long", (value: string) => characters(value) <= most, message),
  ] as const;
};

/** The same limits as JSON Schema, for the API reference. */
export const limits = (least: number, most: number) => ({ ...(least > 0 && { minLength: least }), maxLength: most });

/** The same limits as JSON Schema, for a text that has visible characters unless it may be empty. */
export const limitsOfVisible = (least: number, most: number) => ({
  ...limits(least, most),
  ...(least > 0 && { pattern: "\\S" }),
});

/** Text of `least` to `most` characters. */
export const text = (least: number, most: number) =>
  v.pipe(v.string(), wellFormed, ...lengthOf(least, most), v.metadata(limits(least, most)));

/** Text of `least` to `most` characters, counted after trimming. */
export const trimmed = (least: number, most: number) =>
  v.pipe(v.string(), v.trim(), wellFormed, ...lengthOf(least, most), v.metadata(limitsOfVisible(least, most)));

/** A positive integer in a query parameter: an id, a page, a number of records. */
export const IntegerParameter = v.pipe(
  v.string(),
  rule("wrong_type", (value: string) => /^(0|-?[1-9]\d*)$/.test(value), "must be an integer"),
  v.transform(Number),
  v.safeInteger(),
  v.minValue(1),
);

/** Converts cents to the dollars of the API. */
export const dollars = (cents: number): number => cents / 100;
