import type { benefitFields } from "../fields/benefit.ts";
import type { SetBy, ShownIn } from "../fields/field.ts";
import type { FieldDoc } from "../values/documented.ts";
import { timeDocs } from "./record.ts";

/** What the documents say of the fields of a benefit. */
export const benefitDocs = {
  id: ["Unique identifier of the benefit.", 21],
  name: ["Name of the benefit.", "A bottle each quarter"],
  description: ["What members get. May be empty.", "Chosen by the maestro, sent to your door."],
  position: ["Position among the benefits, lowest first. By default, a new benefit goes last.", 1],
  status: "Whether the benefit is shown. An archived benefit is hidden from members.",
  tier_ids: ["Identifiers of the tiers whose members get the benefit.", [11]],
  tiers: "The tiers in `tier_ids`, including archived ones, by position.",
  community: "The community that the benefit belongs to.",
  ...timeDocs,
} as const satisfies Record<ShownIn<typeof benefitFields, "api"> | SetBy<typeof benefitFields, "post">, FieldDoc>;

/** The same for a PATCH. */
export const benefitUpdateDocs = {
  ...benefitDocs,
  tier_ids: ["Identifiers of the tiers whose members get the benefit. Replaces the list.", [11]],
} as const satisfies Record<SetBy<typeof benefitFields, "patch">, FieldDoc>;
