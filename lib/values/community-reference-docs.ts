import { CommunityReference } from "./community-reference.ts";
import { describeFields, type FieldDoc } from "./documented.ts";

/** What the documents say of the fields of a reference to a community. */
export const communityReferenceDocs = {
  id: ["Unique identifier of the community.", 1],
  name: ["Name of the community.", "Mezcal Circle"],
} as const satisfies Record<keyof typeof CommunityReference.entries, FieldDoc>;

describeFields(CommunityReference, communityReferenceDocs);
