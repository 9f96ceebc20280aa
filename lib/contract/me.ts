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
