import type { Endpoint } from "#lib/http/handler.ts";
import type { Outside } from "#lib/person/outside.ts";
import { erasing as erasingMe } from "../../../functions/me/erase.ts";
import { erasing } from "../../../functions/users/erase.ts";

/** What erasures do outside of table and Stripe, at once: that it fails is tested elsewhere. */
const outside: Outside = { record: async () => {}, deleteAccount: async () => {} };

export type Erasing = { readonly outside: Outside; readonly me: Endpoint; readonly anybody: Endpoint };

/** The routes that erase people, in this process. */
export const erasingHere: Erasing = { outside, me: erasingMe(outside), anybody: erasing(outside) };
