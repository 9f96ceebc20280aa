import * as v from "valibot";
import { LastingRight } from "../values/lasting-right.ts";
import { Id, Timestamp } from "../values/scalars.ts";
import { TeamRole } from "../values/team-role.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/apiKey.json";

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `server` sets the values that no request contains. `use` stores that a request was made with the key. */
  readonly set: "post" | "use" | "server";
  readonly shown: "api" | "activity";
};

/** An API key of a community. It is never edited. */
export const apiKeyFields = defineFields<Terms>()({
  id: { stored: Id, set: ["server"], shown: ["api"], personal: false },
  name: { stored: v.string(), set: ["post"], shown: ["api", "activity"], personal: false },
  role: { stored: TeamRole, set: ["post"], shown: ["api", "activity"], personal: false },
  /** The last four characters of the key. */
  hint: { stored: v.string(), set: ["server"], shown: ["api", "activity"], personal: false },
  created_by: { stored: Id, as: v.nullable(Id), set: ["server"], shown: ["api"], personal: false },
  created_at: { stored: Timestamp, set: ["server"], shown: ["api"], personal: false },
  /** In milliseconds since 1970. Undefined until the first use. */
  last_used_at: {
    stored: v.number(),
    before: undefined,
    as: v.nullable(Timestamp),
    set: ["use"],
    shown: ["api"],
    personal: false,
  },
  /** In seconds since 1970: DynamoDB deletes the item afterwards. */
  expires_at: { stored: v.number(), as: Timestamp, set: ["post"], shown: ["api"], personal: false },

  community_id: { stored: Id, set: ["server"], shown: [], personal: false },
  /** Hash of the key (`lib/auth/api-key.ts`). */
  secret_hash: { stored: v.string(), set: ["server"], shown: [], personal: false },
  /** The right under which the key was created. */
  right: { stored: LastingRight, set: ["server"], shown: [], personal: false },
});
