import type { ShownIn } from "../fields/field.ts";
import type { movementFields } from "../fields/movement.ts";
import { describeFields, type FieldDoc } from "../values/documented.ts";
import { Movement, MovementPage, MovementQuery } from "./movement-list.ts";
import { cursorPageDocs, cursorQueryDocs } from "./page-docs.ts";

/** What the documents say of a movement. */
export const movementDocs = {
  at: ["Time at which Odis recorded the movement. It counts on the UTC day of this time.", "2026-11-21T05:16:04.211Z"],
  access: [
    "`begun` if the member got access, `ended` if the member lost it. `null` if access did not change.",
    "begun",
  ],
  monthly:
    "Change of the monthly amount: `before_cents` and `after_cents` in US cents, rounded, and its `kind`, as in `movements_30d`. `null` if the amount did not change.",
  member: "The member, with the current name. The name is `null` if the person was erased.",
} as const satisfies Record<ShownIn<typeof movementFields, "api">, FieldDoc>;

describeFields(Movement, movementDocs);
describeFields(Movement.entries.monthly.wrapped, {
  before_cents: ["Monthly amount before, in US cents, rounded.", 0],
  after_cents: ["Monthly amount after, in US cents, rounded.", 2500],
  kind: ["Effect on the monthly recurring revenue.", "new"],
});
describeFields(Movement.entries.member, {
  id: ["Identifier of the member.", 6312],
  name: ["Current name of the member. `null` if the person was erased.", "Anna Lena"],
});

describeFields(MovementQuery, {
  ...cursorQueryDocs,
  access: [
    "Only movements with which access began or ended. A page may have fewer, or none, although `has_more` is true.",
    "begun",
  ],
  kind: [
    "Only changes of the monthly amount of this kind. A page may have fewer, or none, although `has_more` is true.",
    "new",
  ],
  from: ["First day, in UTC.", "2026-11-01"],
  to: ["Last day, in UTC.", "2026-11-30"],
});

describeFields(MovementPage, cursorPageDocs);
