import type { apiKeyFields } from "../fields/api-key.ts";
import type { ShownIn } from "../fields/field.ts";
import { describeFields, type FieldDoc } from "../values/documented.ts";
import { ApiKey, ApiKeyCreate, ApiKeyListQuery, ApiKeyPage, ApiKeyWithKey } from "./api-key.ts";
import { pageDocs, pageQueryDocs } from "./page-docs.ts";

/** What the documents say of an API key. */
export const apiKeyDocs = {
  id: ["Unique identifier of the API key. Its text contains this number in base 62.", 245942650343083],
  name: ["Name of the key, such as the program that uses it.", "Warehouse"],
  role: ["What requests with the key may do in the community.", "support"],
  hint: ["The last four characters of the key.", "4fQx"],
  created_by: ["Identifier of the user who created the key. `null` if the person was erased.", 3],
  created_at: ["Time of the creation.", "2026-11-21T05:16:02.000Z"],
  last_used_at: [
    "Time of a recent request with the key, exact to the hour. `null` before the first one.",
    "2026-11-26T08:00:00.000Z",
  ],
  expires_at: [
    "Time from which the key is refused, in whole seconds. Default, and at most: a year after its creation.",
    "2027-11-21T05:16:02.000Z",
  ],
} as const satisfies Record<ShownIn<typeof apiKeyFields, "api">, FieldDoc>;

describeFields(ApiKey, apiKeyDocs);
describeFields(ApiKeyWithKey, {
  ...apiKeyDocs,
  key: [
    "The key. Only this response contains it.",
    "odis_prod_17qLzvXc5_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg_1dC4fQ",
  ],
});
describeFields(ApiKeyListQuery, pageQueryDocs);
describeFields(ApiKeyPage, pageDocs);
describeFields(ApiKeyCreate, { api_key: "The new API key." });
describeFields(ApiKeyCreate.entries.api_key, apiKeyDocs);
