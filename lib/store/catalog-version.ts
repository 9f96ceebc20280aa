import { keys } from "./keys.ts";
import type { Write } from "./table.ts";

/** What a change of a tier or benefit adds to the item of its community. */
export const catalogChange = { catalog_version: 1 };

/** Notes in a community that a tier or benefit changes in the same transaction. */
export const changeCatalog = (communityId: number): Write => ({
  update: keys.community(communityId),
  set: {},
  add: catalogChange,
  when: "exists",
});
