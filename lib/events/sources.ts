import type { Key } from "../store/keys.ts";

/** The items that events are told of, by how their keys start. */
export const sources: readonly Key[] = [
  { pk: "COMMUNITY#", sk: "MEMBER#" },
  { pk: "COMMUNITY#", sk: "BENEFIT#" },
  { pk: "BRAND#", sk: "BRAND" },
];
