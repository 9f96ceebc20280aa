import { createHash } from "node:crypto";
import { comparableEmail } from "../values/email.ts";

/** The hash of an email address under which its items are found, so that an erasure need not keep the address. */
export const addressHash = (email: string): string =>
  createHash("sha256").update(comparableEmail(email)).digest("base64url");
