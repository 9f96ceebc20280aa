import * as v from "valibot";
import { erasedNames } from "../values/person.ts";
import { Id, Timestamp } from "../values/scalars.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/user.json";

type Terms = {
  readonly oldest: keyof typeof oldest;
  readonly set: "sign_in" | "import" | "server";
  /**
   * `person` is the person as the API shows them; members hold a copy. `export` is the person's export of their own
   * data.
   */
  readonly shown: "person" | "export";
};

const given = ["sign_in", "import"] as const;
const everywhere = ["person", "export"] as const;

/** A person's profile. It is created at the first sign-in or by an import. */
export const userFields = defineFields<Terms>()({
  id: { stored: Id, set: ["import", "server"], shown: everywhere, personal: false },
  username: { stored: v.string(), set: given, shown: everywhere, personal: { erased: erasedNames.username } },
  email: { stored: v.string(), set: given, shown: everywhere, personal: { erased: erasedNames.email } },
  first_name: { stored: v.string(), set: given, shown: everywhere, personal: { erased: erasedNames.first_name } },
  last_name: { stored: v.string(), set: given, shown: everywhere, personal: { erased: erasedNames.last_name } },
  created_at: { stored: Timestamp, set: ["server"], shown: ["export"], personal: false },
  updated_at: { stored: Timestamp, set: ["server"], shown: ["export"], personal: false },
  /** When the person was erased. Afterwards, the profile contains only the id. */
  erased_at: {
    stored: Timestamp,
    as: v.nullable(Timestamp),
    before: undefined,
    set: ["server"],
    shown: ["export"],
    personal: false,
  },

  /** The `sub` of the person's account in the user pool. Null for an imported person who has not signed in yet. */
  sub: { stored: v.nullable(v.string()), set: ["sign_in"], shown: [], personal: { erased: null } },
  /**
   * The names that the account had at the last sign-in. If one is removed there, it is removed here. A name that the account
   * never had comes from an import, and is kept.
   */
  account_names: {
    stored: v.array(v.picklist(["first_name", "last_name"])),
    before: [],
    set: ["sign_in"],
    shown: [],
    personal: false,
  },
});
