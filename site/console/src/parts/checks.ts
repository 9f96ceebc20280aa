import type { Value } from "./field.tsx";

const text = (value: Value | undefined): string => (typeof value === "string" ? value.trim() : "");

/** The error of a name that is empty. */
export const nameError = (value: Value | undefined): string | undefined =>
  text(value) === "" ? "Enter a name." : undefined;

/** The error of an email address that is empty. */
export const emailError = (value: Value | undefined): string | undefined =>
  text(value) === "" ? "Enter your email address." : undefined;

/** The error of a user id that cannot be one. */
export const userIdError = (value: Value | undefined): string | undefined =>
  /^[1-9]\d{0,15}$/.test(text(value)) ? undefined : "Enter a number, such as 17.";
