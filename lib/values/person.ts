import * as v from "valibot";
import { documented } from "./documented.ts";
import { Id } from "./scalars.ts";

/** The person behind a member, as of their profile. */
export const Person = documented(
  v.object({
    id: Id,
    username: v.string(),
    email: v.string(),
    first_name: v.string(),
    last_name: v.string(),
  }),
  {
    id: ["Unique identifier of the user.", 5],
    username: ["Username.", "ana"],
    email: ["Email address.", "ana@example.com"],
    first_name: ["First name. May be empty.", "Ana"],
    last_name: ["Last name. May be empty.", "Ruiz"],
  },
);
export type Person = v.InferOutput<typeof Person>;

/** How an erased person is shown (`docs/api.md`, section 11). */
export const erasedPerson = (id: number): Person => ({
  id,
  username: "erased",
  email: "",
  first_name: "",
  last_name: "",
});
