import { ErasureAnswer, ErasureRequest } from "../domain/erasure.ts";
import { Me } from "../domain/me.ts";
import { PersonalData } from "../domain/personal-data.ts";
import type { Route } from "./route.ts";

export const show = {
  method: "GET",
  path: "/odis/v1/me",
  access: "user",
  output: Me,
  table: "read",
  readsAddress: true,
} as const satisfies Route;

export const data = {
  method: "GET",
  path: "/odis/v1/me/data",
  access: "user",
  output: PersonalData,
  table: "read",
  readsAddress: true,
} as const satisfies Route;

export const erase = {
  method: "POST",
  path: "/odis/v1/me/erase",
  access: "user",
  maxSignInAge: 600,
  body: ErasureRequest,
  output: ErasureAnswer,
  problems: ["not_found", "erasure_blocked"],
  table: "write",
  billing: "write",
  erases: true,
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  show: "Show the caller's profile, communities, memberships, teams and invitations",
  data: [
    "Export all data stored about the caller",
    "One JSON document (GDPR, articles 15 and 20). Other people appear by role only. Each export is logged with its caller and the number of records.",
  ],
  erase: [
    "Erase the caller",
    "Irreversible. Names, email address, addresses, notes, metadata, the Stripe customer and the account are removed; the data that accounting requires is kept without a name. Requires a sign-in within the last 10 minutes. Idempotent. If the request is interrupted, a scheduled job completes the erasure.",
  ],
} as const;
