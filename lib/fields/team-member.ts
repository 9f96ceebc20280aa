import * as v from "valibot";
import { LastingRight } from "../values/lasting-right.ts";
import { Person } from "../values/person.ts";
import { Id, Timestamp } from "../values/scalars.ts";
import { TeamRole } from "../values/team-role.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/teamMember.json";

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `server` sets the values that no request contains. */
  readonly set: "patch" | "server";
  /** `export` is the person's export of their own data. */
  readonly shown: "api" | "activity" | "export";
};

/** A person in the team of a community. */
export const teamMemberFields = defineFields<Terms>()({
  user: { made: Person, shown: ["api"] },
  role: { stored: TeamRole, set: ["patch", "server"], shown: ["api", "activity", "export"], personal: false },
  created_at: { stored: Timestamp, set: ["server"], shown: ["api", "export"], personal: false },
  updated_at: { stored: Timestamp, set: ["server"], shown: ["api"], personal: false },

  user_id: { stored: Id, set: ["server"], shown: [], personal: false },
  community_id: { stored: Id, set: ["server"], shown: [], personal: false },
  /** The right under which the person joined. */
  right: { stored: LastingRight, set: ["server"], shown: [], personal: false },
  /** Incremented by every edit. */
  version: { stored: v.number(), set: ["server"], shown: [], personal: false },
});
