import { ErasureAnswer, ErasureRequest } from "../domain/erasure.ts";
import { PersonListQuery, PersonPage } from "../domain/person-list.ts";
import { PersonalData } from "../domain/personal-data.ts";
import type { Route } from "./route.ts";

export const list = {
  method: "GET",
  path: "/odis/v1/users",
  access: "admin",
  query: PersonListQuery,
  output: PersonPage,
  table: "read",
} as const satisfies Route;

export const data = {
  method: "GET",
  path: "/odis/v1/users/{id}/data",
  access: "admin",
  output: PersonalData,
  table: "read",
  readsAddress: true,
} as const satisfies Route;

export const erase = {
  method: "POST",
  path: "/odis/v1/users/{id}/erase",
  access: "admin",
  body: ErasureRequest,
  output: ErasureAnswer,
  problems: ["erasure_blocked"],
  table: "write",
  billing: "write",
  erases: true,
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  list: [
    "Find a person by their email address",
    "For admins, who name the owner of a community by the id. The list has one person, or nobody: an address belongs to at most one person, and an erased person has none. The case of letters does not matter.",
  ],
  data: [
    "Export all data stored about a person",
    "The same document as `GET /odis/v1/me/data` returns to the person. For an erased person, it has the data that is kept. Each export is logged with its caller and the number of records.",
  ],
  erase: [
    "Erase a person",
    "Irreversible. Names, email address, addresses, notes, metadata, the Stripe customer and the account are removed; the data that accounting requires is kept without a name. Idempotent. If the request is interrupted, a scheduled job completes the erasure.",
  ],
} as const;
