import { randomBytes, randomUUID, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as v from "valibot";

const User = v.object({
  sub: v.string(),
  username: v.string(),
  email: v.string(),
  given_name: v.optional(v.string()),
  family_name: v.optional(v.string()),
  groups: v.array(v.string()),
  /** Whether they have registered an authenticator app. */
  has_totp: v.optional(v.boolean(), false),
  status: v.optional(v.picklist(["UNCONFIRMED", "CONFIRMED", "RESET_REQUIRED"]), "CONFIRMED"),
});
export type User = v.InferOutput<typeof User>;

/** A person to sign in. Where no `sub` is given, a known user keeps theirs and a new one gets a random one. */
export type NewUser = Omit<User, "sub" | "groups" | "has_totp" | "status"> & {
  readonly sub?: string;
  readonly groups?: readonly string[];
  readonly has_totp?: boolean;
  readonly status?: User["status"];
  readonly password: string;
};

const Stored = v.object({ ...User.entries, salt: v.string(), hash: v.string() });
type Stored = v.InferOutput<typeof Stored>;

export type Directory = {
  /** Adds a user; one of the same name is replaced. */
  readonly add: (user: NewUser) => Promise<User>;
  /** The user of this name or email, if the password is theirs. */
  readonly authenticate: (name: string, password: string) => Promise<User | undefined>;
  readonly remove: (user: User) => void;
  readonly setStatus: (user: User, status: User["status"]) => void;
  /** The user with this `sub`, name or email. */
  readonly find: (name: string) => User | undefined;
  /** Whether they have the password that was sent to their mailbox with the invitation, and have not signed in yet. */
  readonly isInvited: (user: User) => boolean;
  readonly welcome: (user: User) => void;
};

/** The users of a pool, kept in a file where one is given; of passwords it holds scrypt hashes. */
export function openDirectory(file?: string): Directory {
  const users = new Map<string, Stored>(
    file && existsSync(file) ? read(file).map((user) => [user.username, user]) : [],
  );
  const invited = new Set<string>();
  const nobody = { salt: randomBytes(16).toString("base64"), hash: "" };

  return {
    async add({ password, sub, groups = [], has_totp = false, status = "CONFIRMED", ...rest }) {
      const salt = randomBytes(16).toString("base64");
      const hash = (await hashOf(password, salt)).toString("base64");
      const user = {
        ...rest,
        sub: sub ?? users.get(rest.username)?.sub ?? randomUUID(),
        groups: [...groups],
        has_totp,
        status,
      };
      if (!users.has(user.username) && status === "CONFIRMED") invited.add(user.sub);
      users.set(user.username, { ...user, salt, hash });
      if (file) write(file, [...users.values()]);
      return user;
    },

    async authenticate(name, password) {
      const user = users.get(name) ?? [...users.values()].find(({ email }) => email === name);
      // Hashed for an unknown name as well, so that the time it takes tells nothing.
      const { salt, hash } = user ?? nobody;
      const [given, stored] = [await hashOf(password, salt), Buffer.from(hash, "base64")];
      return given.length === stored.length && timingSafeEqual(given, stored) ? user : undefined;
    },

    remove({ username }) {
      users.delete(username);
      if (file) write(file, [...users.values()]);
    },

    setStatus(user, status) {
      const stored = users.get(user.username);
      if (stored) users.set(user.username, { ...stored, status });
      if (file) write(file, [...users.values()]);
    },

    find: (name) => users.get(name) ?? [...users.values()].find(({ sub, email }) => sub === name || email === name),
    isInvited: ({ sub }) => invited.has(sub),
    welcome: ({ sub }) => void invited.delete(sub),
  };
}

const cost: ScryptOptions = { N: 2 ** 14, r: 8, p: 1 };

function hashOf(password: string, salt: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, 32, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

const read = (file: string): Stored[] => v.parse(v.array(Stored), JSON.parse(readFileSync(file, "utf8")));

function write(file: string, users: readonly Stored[]): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(users, undefined, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
