import * as v from "valibot";
import { type SetBy, type ShownIn, shownIn, storedEntries } from "../fields/field.ts";
import { userFields } from "../fields/user.ts";
import { newId } from "../ids.ts";
import { pick } from "../pick.ts";
import { Problem, unauthorized } from "../problem.ts";
import type { Runtime } from "../runtime.ts";
import { isSameEmail } from "../values/email.ts";
import type { Item } from "./expression.ts";
import { Conflict } from "./failure.ts";
import { keys } from "./keys.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { write } from "./write.ts";

/** A person's profile, found by `sub` once they have signed in. */
export const User = v.object(storedEntries(userFields));
export type User = v.InferOutput<typeof User>;

/** The fields of a profile that members hold a copy of. */
export const shownPerson = (user: User): Pick<User, ShownIn<typeof userFields, "person">> =>
  pick(user, shownIn(userFields, "person"));

export type NewUser<Sub> = { readonly sub: Sub } & Pick<User, "username"> &
  Partial<Pick<User, SetBy<typeof userFields, "import"> | "account_names">>;

/** A profile to add for a person who signs in for the first time. */
export function newUser<Sub extends string | null>(
  { sub, username, email = "", first_name = "", last_name = "", account_names = [] }: NewUser<Sub>,
  now: Date,
  random: Runtime["random"],
): User & { readonly sub: Sub } {
  const at = now.toISOString();
  const id = newId(now, random);
  return { id, sub, username, email, first_name, last_name, account_names, created_at: at, updated_at: at };
}

/**
 * A condition that makes its transaction fail if a person's profile no longer is what was read. A new member is written with it:
 * a change of the profile is copied to the members that exist at that moment.
 */
export const stillHas = ({ id, ...person }: Pick<User, ShownIn<typeof userFields, "person">>): Write => ({
  check: keys.user(id),
  when: { is: person },
});

export async function find(table: Reader, userId: number): Promise<User | undefined> {
  const item = await table.get(keys.user(userId));
  return item && v.parse(User, item);
}

/**
 * Refuses the token of a person who was erased (`docs/api.md`, section 11).
 *
 * @param item any item that an erasure marks: a profile, a membership, or the item of a `sub`
 * @throws Problem `invalid_token`
 */
export function assertNotErased(item: { readonly erased_at?: unknown } | undefined): void {
  if (item?.erased_at !== undefined) throw unauthorized("invalid_token");
}

/**
 * A condition that makes its transaction fail if a person is erased.
 *
 * @param otherwise the error to throw. Default: Problem `person_erased`
 */
export const notErased = (userId: number, otherwise: Error = new Problem("person_erased")): Write => ({
  check: keys.erasure(userId),
  when: "absent",
  otherwise,
});

/**
 * A condition that makes its transaction fail if the person with a `sub` is erased. It holds again once all their tokens
 * have expired and their account is deleted.
 */
export const subjectNotErased = (sub: string): Write => ({
  check: keys.subject(sub),
  when: { anyOf: ["absent", { is: { erased_at: undefined } }] },
  otherwise: unauthorized("invalid_token"),
});

/** The user of a token. */
export type SignedIn = Pick<User, "id" | "username"> & { readonly sub: string };

/** The id of a person who is signed in. Creates their profile if the sign-in did not (`docs/api.md`, section 2). */
export async function ensure(table: Writer, person: SignedIn, now: Date): Promise<number> {
  return person.id === 0 ? add(table, newUser(person, now, table.runtime.random)) : person.id;
}

/** Creates the profile of a person whose sign-in did not create it. Returns the stored one if it was created in the meantime. */
export async function made(table: Writer, person: SignedIn, now: Date): Promise<User> {
  const user = { ...newUser(person, now, table.runtime.random), ...(person.id > 0 && { id: person.id }) };
  const id = await add(table, user);
  return id === user.id ? user : ((await find(table, id)) ?? { ...user, id });
}

/**
 * The id of the user with this `sub`.
 *
 * @throws Problem `invalid_token` if the person was erased
 */
export async function idOf(table: Reader, sub: string): Promise<number | undefined> {
  const item = await table.get(keys.subject(sub));
  assertNotErased(item);
  return item && userIdOf(item);
}

/** The writes of a new profile. With `ownsEmail`, it can be found by its email address. */
export const profile = (user: User, { ownsEmail = false } = {}): Write[] => [
  { put: { ...keys.user(user.id), ...user }, when: "absent" },
  ...(ownsEmail ? [{ put: { ...keys.email(user.email), user_id: user.id }, when: "absent" as const }] : []),
];

/** Returns the id of the user who has an email address. */
export async function idOfEmail(table: Reader, email: string): Promise<number | undefined> {
  const item = await table.get(keys.email(email));
  return item && userIdOf(item);
}

/** The person who has an email address. */
export async function ofEmail(table: Reader, email: string): Promise<User | undefined> {
  const id = await idOfEmail(table, email);
  const user = id === undefined ? undefined : await find(table, id);
  return user && !user.erased_at && isSameEmail(user.email, email) ? user : undefined;
}

/** Returns the user that the item of a `sub` or an email address refers to. */
export const userIdOf = (item: Item): number => v.parse(v.object({ user_id: v.number() }), item).user_id;

/**
 * Adds a profile, unless the `sub` has one.
 *
 * @returns the id of the new or existing profile
 * @throws Conflict if the id or the email address is taken
 */
export async function add(
  table: Writer,
  user: User & { readonly sub: string },
  options: { readonly ownsEmail?: boolean } = {},
): Promise<number> {
  const taken = new Conflict("The sub has a profile");
  const subject: Item = { user_id: user.id };
  try {
    await write(table, [
      { put: { ...keys.subject(user.sub), ...subject }, when: "absent", otherwise: taken },
      ...profile(user, options),
    ]);
    return user.id;
  } catch (error) {
    const existing = error === taken ? await idOf(table, user.sub) : undefined;
    if (existing === undefined) throw error;
    return existing;
  }
}
