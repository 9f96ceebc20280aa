import * as v from "valibot";
import { Id } from "./scalars.ts";

/** The person of a member, from their profile. */
export const Person = v.object({
  id: Id,
  username: v.string(),
  email: v.string(),
  first_name: v.string(),
  last_name: v.string(),
});
export type Person = v.InferOutput<typeof Person>;

/** The first and last name of a person, or the username of one who has neither. */
export const fullNameOf = ({ first_name, last_name, username }: Omit<Person, "id" | "email">): string =>
  [first_name, last_name].filter(Boolean).join(" ") || username;

/** The names after an erasure (`docs/api.md`, section 11). */
export const erasedNames = { username: "erased", email: "", first_name: "", last_name: "" } as const;

/** An erased person in the API. */
export const erasedPerson = (id: number): Person => ({ id, ...erasedNames });
