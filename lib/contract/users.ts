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
