import { ErasureAnswer, ErasureRequest } from "../domain/erasure.ts";
import { PersonalData } from "../domain/personal-data.ts";
import type { Route } from "./route.ts";

export const data = {
  method: "GET",
  path: "/odis/v1/me/data",
  summary: "Export everything that is stored about the caller",
  description:
    "One JSON document (GDPR, articles 15 and 20). Other people are named by their role only. Each export is logged with its caller and the number of records.",
  access: "user",
  output: PersonalData,
  table: "read",
} as const satisfies Route;

export const erase = {
  method: "POST",
  path: "/odis/v1/me/erase",
  summary: "Erase the caller",
  description:
    "Irreversible. Names, email address, addresses, notes, metadata, the Stripe customer and the account are removed; what accounting needs is kept without a name. Needs a sign-in of at most 10 minutes ago. Idempotent. A request that fails on the way is finished by the schedule.",
  access: "user",
  maxSignInAge: 600,
  body: ErasureRequest,
  output: ErasureAnswer,
  problems: ["not_found", "erasure_blocked"],
  table: "write",
  billing: "write",
  erases: true,
} as const satisfies Route;
