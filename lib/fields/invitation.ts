import * as v from "valibot";
import { LastingRight } from "../values/lasting-right.ts";
import { Id, Timestamp } from "../values/scalars.ts";
import { TeamRole } from "../values/team-role.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/invitation.json";

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `server` sets the values that no request contains. */
  readonly set: "post" | "server";
  /** `invited` is what the invited person sees. `export` is the person's export of their own data. */
  readonly shown: "api" | "invited" | "activity" | "export";
};

/** An invitation to the team of a community. It is never edited. */
export const invitationFields = defineFields<Terms>()({
  id: { stored: Id, set: ["server"], shown: ["api", "invited"], personal: false },
  email: { stored: v.string(), set: ["post"], shown: ["api", "invited", "export"], personal: { erased: "" } },
  role: { stored: TeamRole, set: ["post"], shown: ["api", "invited", "activity", "export"], personal: false },
  invited_by: { stored: Id, set: ["server"], shown: ["api"], personal: false },
  created_at: { stored: Timestamp, set: ["server"], shown: ["api", "invited", "export"], personal: false },
  /** In seconds since 1970: DynamoDB deletes the item afterwards. */
  expires_at: {
    stored: v.number(),
    as: Timestamp,
    set: ["server"],
    shown: ["api", "invited", "export"],
    personal: false,
  },

  community_id: { stored: Id, set: ["server"], shown: [], personal: false },
  /** The right under which the person was invited. */
  right: { stored: LastingRight, set: ["server"], shown: [], personal: false },
});
