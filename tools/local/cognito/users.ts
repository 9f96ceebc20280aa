import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as v from "valibot";
import { type Verifier, verifierOf } from "./srp.ts";

/** Attributes besides the email address that people may write. */
export const names = ["given_name", "family_name", "preferred_username"] as const;

const User = v.object({
  sub: v.string(),
  username: v.string(),
  email: v.string(),
  email_verified: v.boolean(),
  given_name: v.optional(v.string()),
  family_name: v.optional(v.string()),
  preferred_username: v.optional(v.string()),
  groups: v.array(v.string()),
  /** Secret of the user's verified authenticator app, in base32. */
  totp_secret: v.optional(v.string()),
  /** Whether a sign-in requires a code of that app. */
  has_totp: v.boolean(),
  status: v.picklist(["UNCONFIRMED", "CONFIRMED", "RESET_REQUIRED", "FORCE_CHANGE_PASSWORD"]),
});
export type User = v.InferOutput<typeof User>;

/** A person who can sign in. Without `sub`, an existing user keeps their `sub`, and a new user gets a random one. */
export type NewUser = Omit<User, "sub" | "email_verified" | "groups" | "has_totp" | "status"> &
  Partial<Pick<User, "sub" | "email_verified" | "status">> & {
    readonly groups?: readonly string[];
    readonly password: string;
  };

const Stored = v.object({ ...User.entries, salt: v.string(), verifier: v.string() });
type Stored = v.InferOutput<typeof Stored>;

export type Directory = {
  /** Adds a user, or replaces the user with the same name. With `totp_secret`, sign-ins require a code. */
  readonly add: (user: NewUser) => User;
  /** Finds a user by username or email address, without regard to case. */
  readonly named: (name: string) => User | undefined;
  /** Finds a user by username, email address or `sub`. */
  readonly find: (name: string) => User | undefined;
  /** All users, oldest first. */
  readonly all: () => readonly User[];
  /** The verifier of the user's password. */
  readonly verifier: (user: User) => Verifier;
  readonly hasPassword: (user: User, password: string) => boolean;
  readonly setPassword: (user: User, password: string) => void;
  readonly update: (user: User, changes: Partial<Omit<User, "sub" | "username">>) => void;
  readonly remove: (user: User) => void;
  /** Whether the user has been invited and has not signed in yet. */
  readonly isInvited: (user: User) => boolean;
  readonly welcome: (user: User) => void;
};

/**
 * Opens the users of a pool, which are stored in `file` with SRP verifiers instead of passwords. Without a file, they
 * are kept in memory.
 */
export function openDirectory(poolId: string, file?: string): Directory {
  const users = new Map<string, Stored>(
    file && existsSync(file) ? read(file).map((user) => [user.username, user]) : [],
  );
  const invited = new Set<string>();

  const named = (name: string) =>
    users.get(name) ?? [...users.values()].find(({ username, email }) => isSame(username, name) || isSame(email, name));
  const put = (user: Stored): Stored => {
    users.set(user.username, user);
    if (file) write(file, [...users.values()]);
    return user;
  };
  /** Returns the current record of a user, because the caller's copy may be outdated. */
  const current = ({ username }: User): Stored => {
    const stored = users.get(username);
    if (!stored) throw new Error(`There is no user ${username}`);
    return stored;
  };

  return {
    add({ password, sub, groups = [], email_verified = true, status = "CONFIRMED", ...rest }) {
      const { username, totp_secret } = rest;
      const isNew = !users.has(username);
      const user = put({
        ...rest,
        ...verifierOf({ poolId, username }, password),
        sub: sub ?? users.get(username)?.sub ?? randomUUID(),
        groups: [...groups],
        has_totp: totp_secret !== undefined,
        email_verified,
        status,
      });
      if (isNew && status === "CONFIRMED") invited.add(user.sub);
      return user;
    },
    named,
    find: (name) => named(name) ?? [...users.values()].find(({ sub }) => sub === name),
    all: () => [...users.values()],
    verifier: current,
    hasPassword(user, password) {
      const { salt, verifier } = current(user);
      return verifierOf({ poolId, username: user.username }, password, salt).verifier === verifier;
    },
    setPassword: (user, password) =>
      void put({ ...current(user), ...verifierOf({ poolId, username: user.username }, password) }),
    update: (user, changes) => void put({ ...current(user), ...changes }),
    remove({ username }) {
      users.delete(username);
      if (file) write(file, [...users.values()]);
    },
    isInvited: ({ sub }) => invited.has(sub),
    welcome: ({ sub }) => void invited.delete(sub),
  };
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Reads the users of a file. Omits those of an earlier version, which have password hashes. */
const read = (file: string): Stored[] =>
  v.parse(v.array(v.unknown()), JSON.parse(readFileSync(file, "utf8"))).filter((user) => v.is(Stored, user));

function write(file: string, users: readonly Stored[]): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(users, undefined, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
