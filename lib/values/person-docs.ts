import { describeFields, type FieldDoc } from "./documented.ts";
import { Person } from "./person.ts";

/** What the documents say of the fields of a person. */
export const personDocs = {
  id: ["Unique identifier of the user.", 5],
  username: ["Username.", "ana"],
  email: ["Email address.", "ana@example.com"],
  first_name: ["First name. May be empty.", "Ana"],
  last_name: ["Last name. May be empty.", "Ruiz"],
} as const satisfies Record<keyof typeof Person.entries, FieldDoc>;

describeFields(Person, personDocs);
