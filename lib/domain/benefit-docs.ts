import { benefitFields } from "../fields/benefit.ts";
import type { SetBy, ShownIn } from "../fields/field.ts";
import { describeFields, type FieldDoc } from "../values/documented.ts";
import { Benefit, BenefitCreate, BenefitListQuery, BenefitPage, BenefitUpdate, TierAssignment } from "./benefit.ts";
import { pageDocs, pageQueryDocs } from "./page-docs.ts";
import { timeDocs } from "./record-docs.ts";

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

describeFields(Benefit, benefitDocs);

describeFields(BenefitListQuery, {
  ...pageQueryDocs,
  status: "Only benefits with this status.",
  tier_id: ["Only benefits of this tier.", "11"],
});

describeFields(BenefitPage, pageDocs);
describeFields(BenefitCreate, { benefit: "The new benefit." });
describeFields(BenefitCreate.entries.benefit, benefitDocs);
describeFields(BenefitUpdate, { benefit: "The fields to change. Omitted fields are left unchanged." });
describeFields(BenefitUpdate.entries.benefit, benefitUpdateDocs);

describeFields(TierAssignment, {
  tier_ids: ["Identifiers of the tiers whose members get the benefit from now on. Empty to unassign it.", [11]],
});

describeFields(benefitFields.tiers.made.item, {
  id: ["Unique identifier of the tier.", 11],
  name: ["Name of the tier.", "Reserva"],
  position: ["Position among the tiers, lowest first.", 1],
});
