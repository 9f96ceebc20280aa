import { ErasureAnswer, ErasureRequest } from "../domain/erasure.ts";
import { PersonalData } from "../domain/personal-data.ts";
import type { Route } from "./route.ts";

export const data = {
  method: "GET",
  path: "/odis/v1/users/{id}/data",
  summary: "Export everything that is stored about a person",
  description:
    "The document that the person gets from `GET /odis/v1/me/data`. For an erased person, it shows what is kept. Each export is logged with its caller and the number of records.",
  access: "admin",
  output: PersonalData,
  table: "read",
} as const satisfies Route;

export const erase = {
  method: "POST",
  path: "/odis/v1/users/{id}/erase",
  summary: "Erase a person",
  description:
    "Irreversible. Names, email address, addresses, notes, metadata, the Stripe customer and the account are removed; what accounting needs is kept without a name. Idempotent. A request that fails on the way is finished by the schedule.",
  access: "admin",
  body: ErasureRequest,
  output: ErasureAnswer,
  problems: ["erasure_blocked"],
  table: "write",
  billing: "write",
  erases: true,
} as const satisfies Route;
