import type { Person } from "#lib/values/person.ts";

/** The people whose tokens the stack prints at its start. */
export const people = {
  admin: { id: 1, username: "admin", first_name: "Ada", last_name: "Admin", groups: ["admin"] },
  editor: { id: 2, username: "editor", first_name: "Edith", last_name: "Editor", groups: ["editor"] },
  owner: { id: 3, username: "owner", first_name: "Olga", last_name: "Owner", groups: [] },
  other_owner: { id: 4, username: "other-owner", first_name: "Otto", last_name: "Other", groups: [] },
  member: { id: 5, username: "member", first_name: "Mina", last_name: "Member", groups: [] },
  stranger: { id: 6, username: "stranger", first_name: "Stan", last_name: "Stranger", groups: [] },
} as const satisfies Record<string, Omit<Person, "email"> & { groups: readonly string[] }>;
