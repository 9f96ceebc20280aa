import * as v from "valibot";
import { emailChecks, maxEmailCharacters } from "../values/email.ts";
import { Person } from "../values/person.ts";
import { trimmed } from "../values/scalars.ts";
import { PageQuery, Total } from "./page.ts";

export const PersonListQuery = v.object({
  ...PageQuery.entries,
  email: v.pipe(trimmed(3, maxEmailCharacters), ...emailChecks),
});

export const PersonPage = v.object({
  total: Total,
  has_more: v.boolean(),
  page: v.number(),
  per: v.number(),
  data: v.array(Person),
});
