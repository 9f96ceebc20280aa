import { measure } from "../log.ts";
import { isSameEmail, maxEmailCharacters } from "../values/email.ts";
import { isPlain, shownName } from "../values/shown-text.ts";
import { decideAgain } from "./again.ts";
import type { Item } from "./expression.ts";
import * as invitations from "./invitations.ts";
import { keys } from "./keys.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { add, find, idOf, idOfEmail, newUser, subjectNotErased, type User, userIdOf } from "./users.ts";
import { timeOver, write } from "./write.ts";

/** The account of a person who signs in. Attributes that the user pool does not have are undefined. */
export type SigningIn = {
  readonly sub: string;
  /** Username of a new profile if the person has chosen none. */
  readonly accountName: string;
  readonly username: string | undefined;
  readonly email: string | undefined;
  readonly first_name: string | undefined;
  readonly last_name: string | undefined;
  /** Whether the pool has verified the email address. */
  readonly isVerified: boolean;
  /** Whether the person signed in with the password that was sent to their mailbox. */
  readonly isInvited: boolean;
};

type SignInOptions = {
  readonly now: Date;
  /** Whether the pool has no account with this `sub`. */
  readonly isGone: (sub: string) => Promise<boolean>;
};

/**
 * The account may have been created by somebody else with this person's address. It gets no existing profile, and none for an
 * address that was invited to a team, until its password has been set with a code from the mailbox.
 */
export class UnprovenAccount extends Error {
  override readonly name = "UnprovenAccount";

  constructor() {
    super("A profile or an invitation exists for this email address. Reset the password to sign in");
  }
}

const maxNameCharacters = 128;
const proofDays = 30;

/**
 * Returns the id of the person who signs in, and updates their profile (`docs/api.md`, section 2). At the first sign-in,
 * they take over the profile with their verified address if it was imported or its account was deleted, or get a new one.
 *
 * @throws UnprovenAccount
 */
export async function signIn(table: Writer, account: SigningIn, options: SignInOptions): Promise<number> {
  const person = presentable(account);
  return decideAgain(table, () => signedIn(table, person, options));
}

/**
 * Stores that the person with this `sub` has set their password with a code from their mailbox.
 *
 * @throws Problem `invalid_token` if the person was erased
 */
export const proveMailbox = (table: Writer, sub: string, now: Date): Promise<void> =>
  write(table, [
    { put: { ...keys.mailboxProof(sub), expires_at: Math.floor(now.getTime() / 1000) + proofDays * 24 * 60 * 60 } },
    subjectNotErased(sub),
  ]);

type Presentable = Omit<SigningIn, "email" | "isVerified"> & {
  /** The verified email address. Empty if there is none. */
  readonly email: string;
};

/** Reduces the attributes, which people choose themselves, to text that is safe to show to others. */
function presentable({ isVerified, email = "", ...person }: SigningIn): Presentable {
  const name = (text: string | undefined) => (text === undefined ? undefined : shownName(text, maxNameCharacters));
  return {
    ...person,
    email: isVerified && email.length <= maxEmailCharacters && isPlain(email) ? email : "",
    // A name without visible characters counts as missing.
    username: name(person.username) || undefined,
    first_name: name(person.first_name),
    last_name: name(person.last_name),
  };
}

async function signedIn(table: Writer, person: Presentable, { now, isGone }: SignInOptions): Promise<number> {
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
  // The trigger that resets the password when a sign-up is confirmed is not repeated if it fails.
  else if (await isInvitedToTeam(table, person)) await assertProven(table, person);
  const { sub, accountName, username = accountName, first_name, last_name } = person;
  const email = owner ? "" : person.email;
  const user = newUser(
    { sub, username, email, first_name, last_name, account_names: namesOf(person) },
    now,
    table.runtime.random,
  );
  return add(table, user, { ownsEmail: email !== "" });
}

/**
 * Whether another account with the same address may take over a profile: nobody has signed in to the profile, or its
 * account was deleted. An erased profile has no address, so it is not found here.
 */
const mayBeTakenOver = async ({ sub, erased_at }: User, isGone: SignInOptions["isGone"]): Promise<boolean> =>
  erased_at === undefined && (sub === null || isGone(sub));

const isInvitedToTeam = async (table: Reader, { email }: Presentable): Promise<boolean> =>
  email !== "" && (await invitations.isInvited(table, email));

/** @throws UnprovenAccount */
async function assertProven(table: Reader, { sub, isInvited }: Presentable): Promise<void> {
  if (isInvited || (await table.get(keys.mailboxProof(sub)))) return;
  measure("unproven_account");
  throw new UnprovenAccount();
}

async function takeOver(table: Writer, owner: User, person: Presentable, now: Date): Promise<number> {
  await write(table, [
    { put: { ...keys.subject(person.sub), user_id: owner.id }, when: "absent" },
    // From now on, the old `sub` has no profile.
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

type ProfileMatch = { readonly userId: number; readonly ownerId: number | undefined; readonly person: Presentable };

/** Updates the profile of a person who has signed in before. */
async function follow(table: Writer, { userId, ownerId, person }: ProfileMatch, now: Date): Promise<number> {
  const user = await find(table, userId);
  if (!user) throw new Error(`The sub of a token leads to user ${userId}, who has no profile`);
  const isTaken = ownerId !== undefined && ownerId !== userId;
  if (isTaken) measure("email_conflict");
  // The profile would keep an address that the pool may give to somebody else.
  const isGivenUp = isTaken && user.email !== "" && !isSameEmail(user.email, person.email);
  const isMine = person.email !== "" && !isTaken;
  const email = isMine ? person.email : isGivenUp ? "" : user.email;
  const changes = {
    ...removedNames(user, person),
    ...changesOf(user, person),
    ...(email !== user.email && { email }),
  };
  const addresses = isGivenUp || (isMine && ownerId === undefined) ? await moved(table, user, email) : [];
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

/** Makes a profile findable by its new email address, if it has one, instead of the previous one. */
async function moved(table: Reader, { id, email: before }: User, email: string): Promise<Write[]> {
  const old = before === "" || isSameEmail(before, email) ? undefined : await table.get(keys.email(before));
  const isTheirs = old !== undefined && userIdOf(old) === id;
  return [
    ...(email === "" ? [] : [{ put: { ...keys.email(email), user_id: id }, when: "absent" } satisfies Write]),
    ...(isTheirs ? [{ delete: keys.email(before), when: { is: { user_id: id } } } satisfies Write] : []),
  ];
}

/** The names whose values in the user pool differ from the profile, and which of them the account has. */
function changesOf(user: User, person: Presentable): Item {
  const { username, first_name, last_name } = person;
  const names = { username, first_name, last_name };
  const account_names = namesOf(person);
  return {
    ...Object.fromEntries(
      Object.entries(names).filter(
        ([name, value]) => value !== undefined && value !== user[name as keyof typeof names],
      ),
    ),
    ...(account_names.join() !== user.account_names.join() && { account_names }),
  };
}

/** The names that have been removed from the account since its last sign-in. */
const removedNames = (user: User, person: Presentable): Item =>
  Object.fromEntries(
    user.account_names.flatMap((name) => (person[name] === undefined && user[name] !== "" ? [[name, ""]] : [])),
  );

const namesOf = (person: Presentable): User["account_names"] =>
  (["first_name", "last_name"] as const).filter((name) => person[name] !== undefined);
