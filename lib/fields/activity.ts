import * as v from "valibot";
import { Id, Timestamp } from "../values/scalars.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/activity.json";
import type oldestOfBrands from "./oldest/brandActivity.json";
import type oldestOfCommunities from "./oldest/communityActivity.json";

const Actor = v.object({ type: v.picklist(["user", "api_key", "stripe", "system"]), id: v.nullable(Id) });
/** The name is looked up when an entry is read. */
const NamedActor = v.object({ ...Actor.entries, name: v.nullable(v.string()) });
const ownTypes = ["community", "tier", "benefit", "event_destination", "team_member", "invitation", "api_key"] as const;
export const recordTypes = [...ownTypes, "member"] as const;
const ChangedRecord = v.object({ type: v.picklist(ownTypes), id: Id });
/** The name is looked up when an entry is read. The record of a member's entry is in its key. */
const NamedRecord = v.object({ type: v.picklist(recordTypes), id: Id, name: v.nullable(v.string()) });
const State = v.nullable(v.record(v.string(), v.unknown()));

type Terms<Oldest extends string> = {
  readonly oldest: Oldest;
  /** Audit entries are appended and never changed. */
  readonly set: "append";
  /** `export` is the person's export of their own data. */
  readonly shown: "api" | "export";
};

const set = ["append"] as const;
const everywhere = ["api", "export"] as const;

const id = { stored: Id, set, shown: everywhere, personal: false } as const;
const at = { stored: Timestamp, set, shown: everywhere, personal: false } as const;
const actor = { stored: Actor, as: NamedActor, set, shown: everywhere, personal: false } as const;
const request_id = { stored: v.nullable(v.string()), set, shown: ["api"], personal: false } as const;
/** Not personal, because communities and brands hold no personal data. */
const state = { stored: State, set, shown: ["api"], personal: false } as const;

const memberActions = [
  "joined",
  "imported",
  "status_changed",
  "tier_changed",
  "cancel_scheduled",
  "uncanceled",
  "interval_changed",
  "change_scheduled",
  "change_canceled",
  "canceled",
  "refunded",
  "refund_changed",
  "blocked",
  "unblocked",
  "edited",
  "erased",
] as const;
const communityActions = [
  "created",
  "edited",
  "archived",
  "unarchived",
  "transferred",
  "deleted",
  "members_imported",
  "team_invited",
  "team_invitation_revoked",
  "team_invitation_declined",
  "team_joined",
  "team_role_changed",
  "team_removed",
  "api_key_created",
  "api_key_revoked",
] as const;

/** Who did what to a member, and when. */
export const activityFields = defineFields<Terms<keyof typeof oldest>>()({
  id,
  at,
  action: { stored: v.picklist(memberActions), set, shown: everywhere, personal: false },
  actor,
  request_id,
  before: { stored: State, set, shown: everywhere, personal: { erased: null } },
  after: { stored: State, set, shown: everywhere, personal: { erased: null } },
});

/** A change of a community, its tiers, benefits, event destinations or team, or an import. */
export const communityActivityFields = defineFields<Terms<keyof typeof oldestOfCommunities>>()({
  id,
  at,
  action: {
    stored: v.picklist(communityActions),
    as: v.picklist([...new Set([...communityActions, ...memberActions])]),
    set,
    shown: ["api"],
    personal: false,
  },
  record: { stored: ChangedRecord, as: NamedRecord, set, shown: ["api"], personal: false },
  actor,
  request_id,
  before: state,
  after: state,
  /** The operation id of an import request. A retry finds it and appends no second entry. */
  operation_id: { stored: v.string(), before: undefined, set, shown: [], personal: false },
});

export const brandActivityFields = defineFields<Terms<keyof typeof oldestOfBrands>>()({
  id,
  at,
  action: { stored: v.picklist(["created", "edited", "deleted"]), set, shown: ["api"], personal: false },
  actor,
  request_id,
  before: state,
  after: state,
});
