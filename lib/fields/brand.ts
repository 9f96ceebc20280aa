import * as v from "valibot";
import { Timestamp, Uuid } from "../values/scalars.ts";
import { UuidBytes } from "../values/uuid-bytes.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/brand.json";

const SetOfUuids = v.pipe(
  v.set(UuidBytes),
  v.transform((ids) => [...ids].toSorted()),
);

type Terms = {
  readonly oldest: keyof typeof oldest;
  readonly set: "post" | "patch" | "server";
  readonly shown: "api" | "event" | "activity";
};

const given = ["post", "patch"] as const;
const everywhere = ["api", "event", "activity"] as const;

export const brandFields = defineFields<Terms>()({
  id: { stored: UuidBytes, as: Uuid, set: ["server"], shown: ["api", "event"], personal: false },
  name: { stored: v.string(), set: given, shown: everywhere, personal: false },
  producer_ids: { stored: SetOfUuids, as: v.array(Uuid), set: given, shown: everywhere, personal: false },
  created_at: { stored: Timestamp, set: ["server"], shown: ["api", "event"], personal: false },
  updated_at: { stored: Timestamp, set: ["server"], shown: ["api"], personal: false },

  version: { stored: v.number(), set: ["server"], shown: [], personal: false },
});
