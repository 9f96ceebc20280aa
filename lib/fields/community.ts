import * as v from "valibot";
import { Id, integer, oneOf, Timestamp } from "../values/scalars.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/community.json";

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `admin` is a PATCH by an admin. `server` sets the values that no request contains. */
  readonly set: "post" | "patch" | "admin" | "server";
  /** `directory` is the community's row in the directory. */
  readonly shown: "api" | "event" | "activity" | "directory";
};

const given = ["post", "patch"] as const;
const everywhere = ["api", "event", "activity", "directory"] as const;

export const communityFields = defineFields<Terms>()({
  id: { stored: Id, set: ["server"], shown: ["api", "event", "directory"], personal: false },
  uuid: {
    stored: v.pipe(v.string(), v.uuid()),
    set: ["server"],
    shown: ["api", "event", "directory"],
    personal: false,
  },
  name: { stored: v.string(), set: given, shown: everywhere, personal: false },
  slug: { stored: v.string(), set: given, shown: everywhere, personal: false },
  owner_id: {
    stored: Id,
    as: v.nullable(Id),
    set: ["post", "admin"],
    shown: ["api", "event", "activity"],
    personal: false,
  },
  avatar_url: { stored: v.nullable(v.string()), set: given, shown: everywhere, personal: false },
  status: { stored: oneOf(["active", "archived"]), set: ["admin"], shown: everywhere, personal: false },
  trending: { made: v.boolean(), shown: ["api"] },
  trending_pin: {
    stored: v.nullable(oneOf(["on", "off"])),
    set: ["post", "admin"],
    shown: everywhere,
    personal: false,
  },
  member_count: { made: v.number(), shown: ["api"] },
  sequence: { made: integer(1), shown: ["api"] },
  created_at: { stored: Timestamp, set: ["server"], shown: ["api", "event"], personal: false },
  updated_at: { stored: Timestamp, set: ["server"], shown: ["api"], personal: false },

  /** Incremented for each added benefit, so that one of two concurrent additions fails. */
  benefits_added: { stored: v.number(), set: ["server"], shown: [], personal: false },
  /** Incremented for each added tier, for the same reason. */
  tiers_added: { stored: v.number(), before: undefined, set: ["server"], shown: [], personal: false },
  /** Incremented for each added event destination, for the same reason. */
  destinations_added: { stored: v.number(), before: undefined, set: ["server"], shown: [], personal: false },
  /** Incremented for each added invitation to the team and each person who joins it, for the same reason. */
  team_changes: { stored: v.number(), before: undefined, set: ["server"], shown: [], personal: false },
  /** Incremented for each added API key, for the same reason. */
  api_keys_added: { stored: v.number(), before: undefined, set: ["server"], shown: [], personal: false },
  /** Number of transfers to another owner. Lasting rights contain this number. Undefined before the first transfer. */
  ownership: { stored: v.number(), before: undefined, set: ["server"], shown: [], personal: false },
  /** Key of the community's row in the directory. Undefined if the community has no row. */
  directory_key: { stored: v.string(), before: undefined, set: ["server"], shown: [], personal: false },
  /** Incremented by each change of a tier or benefit. Undefined before the first one since this version of Odis. */
  catalog_version: { stored: v.number(), before: undefined, set: ["server"], shown: [], personal: false },
  /** Incremented by every edit. */
  version: { stored: v.number(), set: ["server"], shown: [], personal: false },
});
