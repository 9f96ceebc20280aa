import type { Value } from "./field.tsx";

const text = (value: Value | undefined): string => (typeof value === "string" ? value.trim() : "");

/** The error of a name that is empty. */
export const nameError = (value: Value | undefined): string | undefined =>
  text(value) === "" ? "Enter a name." : undefined;

/** The error of an email address that is empty. */
export const emailError = (value: Value | undefined): string | undefined =>
  text(value) === "" ? "Enter an email address." : undefined;

/** The timestamp in a field of the kind `time`. `undefined` if it is empty, or not a time that JavaScript reads. */
export function timestampOf(value: Value | undefined): string | undefined {
  const time = new Date(text(value));
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** The error of a time that cannot be read. */
export const timeError = (value: Value | undefined): string | undefined =>
  timestampOf(value) === undefined ? "Enter a date and a time." : undefined;
