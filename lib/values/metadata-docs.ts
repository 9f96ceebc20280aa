import { describeValue } from "./documented.ts";
import { MetadataPatch, metadataLimits, readOnlyKeys } from "./metadata.ts";

describeValue(MetadataPatch, {
  // The custom ones, and the notes.
  maxProperties: metadataLimits.keys + 1,
  propertyNames: { minLength: 1, maxLength: metadataLimits.keyCharacters, not: { enum: [...readOnlyKeys] } },
  additionalProperties: true,
  properties: {
    notes: {
      type: ["string", "null"],
      maxLength: metadataLimits.notes,
      description:
        "Notes about the member. Visible to the owner, the team and API keys of the community, to admins, and in the export of the person's data. `null` clears them.",
    },
  },
});
