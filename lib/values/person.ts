import * as v from "valibot";
import { Id } from "./scalars.ts";

/** The person behind a member, as of their profile. */
export const Person = v.object({
  id: Id,
  username: v.string(),
  email: v.string(),
  first_name: v.string(),
  last_name: v.string(),
});
export type Person = v.InferOutput<typeof Person>;

/** What an erasure leaves of a person's names (`docs/api.md`, section 11). */
export const erasedNames = { username: "erased", email: "", first_name: "", last_name: "" } as const;

/** How an erased person is shown. */
export const erasedPerson = (id: number): Person => ({ id, ...erasedNames });
