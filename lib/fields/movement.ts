import * as v from "valibot";
import { Cents, Id, oneOf, Timestamp } from "../values/scalars.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/movement.json";

/** The effect of a changed monthly amount on the monthly recurring revenue (`docs/api.md`, section 9). */
export const movementKinds = ["new", "reactivated", "expansion", "contraction", "churned"] as const;
export type MovementKind = (typeof movementKinds)[number];

export const accessChanges = ["begun", "ended"] as const;

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `server` is the write that changes the member. */
  readonly set: "server";
  readonly shown: "api";
};

const monthlyOf = <Amount extends v.GenericSchema>(amount: Amount) =>
  v.nullable(v.object({ before_cents: amount, after_cents: amount, kind: oneOf(movementKinds) }));

/** A change of a member's access, monthly amount or both, at the time when Odis recorded it. */
export const movementFields = defineFields<Terms>()({
  at: { stored: Timestamp, set: ["server"], shown: ["api"], personal: false },
  /** Null if access did not change. */
  access: { stored: v.nullable(oneOf(accessChanges)), set: ["server"], shown: ["api"], personal: false },
  /** In cents and twelfths of a cent. Null if the amount did not change. */
  monthly: {
    stored: monthlyOf(v.number()),
    as: monthlyOf(Cents),
    set: ["server"],
    shown: ["api"],
    personal: false,
  },
  member: { made: v.object({ id: Id, name: v.nullable(v.string()) }), shown: ["api"] },

  member_id: { stored: Id, set: ["server"], shown: [], personal: false },
});
