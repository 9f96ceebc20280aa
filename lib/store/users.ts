import * as v from "valibot";
import { Person } from "../domain/member.ts";
import { Timestamp } from "../domain/scalars.ts";
import { newId } from "../ids.ts";
import type { Item } from "./expression.ts";
import { Conflict } from "./failure.ts";
import { keys } from "./keys.ts";
import type { Reader, Writer } from "./table.ts";
import { write } from "./write.ts";

/** A person's profile: made at the first sign-in, found by `sub` from then on. */
export const User = v.object({ ...Person.entries, sub: v.string(), created_at: Timestamp, updated_at: Timestamp });
export type User = v.InferOutput<typeof User>;

/** A profile to add for a person who signs in for the first time. */
export function newUser(
  { sub, username, email = "", first_name = "", last_name = "" }: Pick<User, "sub" | "username"> & Partial<User>,
  now: Date,
): User {
  const at = now.toISOString();
  return { id: newId(now), sub, username, email, first_name, last_name, created_at: at, updated_at: at };
}

export async function find(table: Reader, userId: number): Promise<User | undefined> {
  const item = await table.get(keys.user(userId));
  return item && v.parse(User, item);
}

type SignedIn = Pick<User, "id" | "sub" | "username">;

/** The id of a person who is signed in; their profile is made now where the sign-in did not (`api.md`, section 2). */
export async function ensure(table: Writer, person: SignedIn, now: Date): Promise<number> {
  return person.id === 0 ? add(table, newUser(person, now)) : person.id;
}

/** Makes the profile of a person whose sign-in did not. */
export async function made(table: Writer, person: SignedIn, now: Date): Promise<User> {
  const user = { ...newUser(person, now), ...(person.id > 0 && { id: person.id }) };
  return { ...user, id: await add(table, user) };
}

/** The id of the user who signs in with this `sub`. */
export async function idOf(table: Reader, sub: string): Promise<number | undefined> {
  const item = await table.get(keys.subject(sub));
  return item && v.parse(v.object({ user_id: v.number() }), item).user_id;
}

/**
 * Adds a profile; the same `sub` again is found, not added.
 *
 * @returns the id of the profile that now stands for this `sub`
 * @throws Conflict when the id is taken: draw another
 */
export async function add(table: Writer, user: User): Promise<number> {
  const taken = new Conflict("The sub has a profile");
  const subject: Item = { user_id: user.id };
  try {
    await write(table, [
      { put: { ...keys.subject(user.sub), ...subject }, when: "absent", otherwise: taken },
      { put: { ...keys.user(user.id), ...user }, when: "absent" },
    ]);
    return user.id;
  } catch (error) {
    const existing = error === taken ? await idOf(table, user.sub) : undefined;
    if (existing === undefined) throw error;
    return existing;
  }
}
