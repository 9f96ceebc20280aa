import { measure } from "../log.ts";
import { isSameEmail, maxEmailCharacters } from "../values/email.ts";
import { isPlain, shownName } from "../values/shown-text.ts";
import { decideAgain } from "./again.ts";
import type { Item } from "./expression.ts";
import { keys } from "./keys.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { add, find, idOf, idOfEmail, newUser, subjectNotErased, type User, userIdOf } from "./users.ts";
import { timeOver, write } from "./write.ts";

/** Someone who signs in, as the user pool knows them. What the pool says nothing of is undefined. */
export type SigningIn = {
  readonly sub: string;
  /** What a new profile is called if the person has chosen no name. */
  readonly accountName: string;
  readonly username: string | undefined;
  readonly email: string | undefined;
  readonly first_name: string | undefined;
  readonly last_name: string | undefined;
  /** The pool has verified that the email address is theirs. */
  readonly isVerified: boolean;
  /** They signed in with the password that was sent to their mailbox. */
  readonly isInvited: boolean;
};

type Options = {
  readonly now: Date;
  /** Whether the pool has no account with this `sub`. */
  readonly isGone: (sub: string) => Promise<boolean>;
};

/**
 * The account may have been opened by somebody else with this person's address: until a password is set with a code from
 * the mailbox, it is let into no profile that was there before.
 */
export class UnprovenAccount extends Error {
  override readonly name = "UnprovenAccount";

  constructor() {
    super("A profile exists for this email address. Reset the password to sign in to it");
  }
}

const maxNameCharacters = 128;
const proofDays = 30;

/**
 * The id of the person who signs in, with their profile brought up to date (`docs/api.md`, section 2). The first time they
 * take over the profile that has their verified address, if it was imported or its account is gone, or get a new one.
 *
 * @throws UnprovenAccount
 */
export async function signIn(table: Writer, given: SigningIn, options: Options): Promise<number> {
  const person = presentable(given);
  return decideAgain(table, () => signedIn(table, person, options));
}

/**
 * Notes that the person with this `sub` has set their password with a code from their mailbox.
 *
 * @throws Problem `invalid_token` where the person was erased
 */
export const proveMailbox = (table: Writer, sub: string, now: Date): Promise<void> =>
  write(table, [
    { put: { ...keys.mailboxProof(sub), expires_at: Math.floor(now.getTime() / 1000) + proofDays * 24 * 60 * 60 } },
    subjectNotErased(sub),
  ]);

type Presentable = Omit<SigningIn, "email" | "isVerified"> & {
  /** Verified; empty if there is none. */
  readonly email: string;
};

/** People choose their own attributes in the pool, so they are reduced to text that may be shown to others. */
function presentable({ isVerified, email = "", ...person }: SigningIn): Presentable {
  const name = (text: string | undefined) => (text === undefined ? undefined : shownName(text, maxNameCharacters));
  return {
    ...person,
    email: isVerified && email.length <= maxEmailCharacters && isPlain(email) ? email : "",
    // A name that shows nothing is none.
    username: name(person.username) || undefined,
    first_name: name(person.first_name),
    last_name: name(person.last_name),
  };
}

async function signedIn(table: Writer, person: Presentable, { now, isGone }: Options): Promise<number> {
  const [userId, ownerId] = await Promise.all([
    idOf(table, person.sub),
    person.email === "" ? undefined : idOfEmail(table, person.email),
  ]);
  if (userId !== undefined) return follow(table, { userId, ownerId, person }, now);

  const owner = ownerId === undefined ? undefined : await find(table, ownerId);
  if (owner && (await mayBeTakenOver(owner, isGone))) {
    await assertProven(table, person);
    return takeOver(table, owner, person, now);
  }
  if (owner) measure("email_conflict");
  const { sub, accountName, username = accountName, first_name, last_name } = person;
  const email = owner ? "" : person.email;
  const user = newUser(
    { sub, username, email, ...(first_name && { first_name }), ...(last_name && { last_name }) },
    now,
    table.runtime.random,
  );
  return add(table, user, { ownsEmail: email !== "" });
}

/**
 * Whether the profile of an address may become that of whoever has the address now: it was imported and nobody has signed
 * in to it, or the account that did is gone. An erased profile has no address, so it is never found here.
 */
const mayBeTakenOver = async ({ sub, erased_at }: User, isGone: Options["isGone"]): Promise<boolean> =>
  erased_at === undefined && (sub === null || isGone(sub));

/** @throws UnprovenAccount */
async function assertProven(table: Reader, { sub, isInvited }: Presentable): Promise<void> {
  if (!isInvited && !(await table.get(keys.mailboxProof(sub)))) throw new UnprovenAccount();
}

async function takeOver(table: Writer, owner: User, person: Presentable, now: Date): Promise<number> {
  await write(table, [
    { put: { ...keys.subject(person.sub), user_id: owner.id }, when: "absent" },
    // The old `sub` leads nowhere from now on.
    ...(owner.sub === null
      ? []
      : [{ delete: keys.subject(owner.sub), when: { is: { user_id: owner.id } } } satisfies Write]),
    {
      update: keys.user(owner.id),
      set: {
        ...changesOf(owner, person),
        email: person.email,
        sub: person.sub,
        updated_at: timeOver(owner, now).toISOString(),
      },
      when: { is: { sub: owner.sub, updated_at: owner.updated_at } },
    },
  ]);
  return owner.id;
}

type Found = { readonly userId: number; readonly ownerId: number | undefined; readonly person: Presentable };

/** Brings the profile of a person who has signed in before up to date. */
async function follow(table: Writer, { userId, ownerId, person }: Found, now: Date): Promise<number> {
  const user = await find(table, userId);
  if (!user) throw new Error(`The sub of a token leads to user ${userId}, who has no profile`);
  if (ownerId !== undefined && ownerId !== userId) measure("email_conflict");
  const isMine = person.email !== "" && (ownerId === undefined || ownerId === userId);
  const changes = { ...changesOf(user, person), ...(isMine && person.email !== user.email && { email: person.email }) };
  const addresses = isMine && ownerId === undefined ? await moved(table, user, person.email) : [];
  if (Object.keys(changes).length === 0 && addresses.length === 0) return userId;

  await write(table, [
    {
      update: keys.user(userId),
      set: { ...changes, updated_at: timeOver(user, now).toISOString() },
      when: { is: { sub: person.sub, updated_at: user.updated_at } },
    },
    ...addresses,
  ]);
  return userId;
}

/** Makes an address lead to the person. The one before, if it did, leads to nobody from then on. */
async function moved(table: Reader, { id, email: before }: User, email: string): Promise<Write[]> {
  const old = before === "" || isSameEmail(before, email) ? undefined : await table.get(keys.email(before));
  const isTheirs = old !== undefined && userIdOf(old) === id;
  return [
    { put: { ...keys.email(email), user_id: id }, when: "absent" },
    ...(isTheirs ? [{ delete: keys.email(before), when: { is: { user_id: id } } } satisfies Write] : []),
  ];
}

/** The names that the pool has otherwise. */
function changesOf(user: User, { username, first_name, last_name }: Presentable): Item {
  const names = { username, first_name, last_name };
  return Object.fromEntries(
    Object.entries(names).filter(([name, value]) => value !== undefined && value !== user[name as keyof typeof names]),
  );
}
