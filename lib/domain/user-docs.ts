import type { ShownIn } from "../fields/field.ts";
import type { userFields } from "../fields/user.ts";
import type { FieldDoc } from "../values/documented.ts";
import { personDocs } from "../values/person-docs.ts";
import { timeDocs } from "./record-docs.ts";

/** What the documents say of the fields of a user in the export of their data. */
export const exportedUserDocs = {
  ...personDocs,
  ...timeDocs,
  erased_at: "Time at which the person was erased. `null` if they were not.",
} as const satisfies Record<ShownIn<typeof userFields, "export">, FieldDoc>;
