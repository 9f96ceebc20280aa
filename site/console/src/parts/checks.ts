import type { Value } from "./field.tsx";

const text = (value: Value | undefined): string => (typeof value === "string" ? value.trim() : "");

/** The error of a name that is empty. */
export const nameError = (value: Value | undefined): string | undefined =>
  text(value) === "" ? "Enter a name." : undefined;

/** The error of an email address that is empty. */
export const emailError = (value: Value | undefined): string | undefined =>
  text(value) === "" ? "Enter an email address." : undefined;
