import type { PostConfirmationTriggerEvent, PreTokenGenerationV2TriggerEvent } from "aws-lambda";
import type { Pool, TriggerContext } from "#lib/pool.ts";
import { timeoutMs as confirmationTimeout, protectProfile } from "../../../functions/triggers/post-confirmation.ts";
import { addClaims, timeoutMs as tokenTimeout } from "../../../functions/triggers/pre-token-generation.ts";
import {
  confirmationEvent,
  overridden,
  overridesOf,
  type TokenSource,
  tokenEvent,
} from "../../../tools/local/cognito/trigger.ts";
import type { User } from "../../../tools/local/cognito/users.ts";
import { subOf } from "../../../tools/local/users.ts";
import { Chance } from "../chance.ts";
import { Crashed, currentInvocation } from "./invocation.ts";
import { ofKind } from "./records.ts";
import type { Outcome } from "./requests.ts";
import type { World } from "./world.ts";

const poolId = "eu-central-1_simulation";
const pool = { poolId, clientId: "simulation", region: "eu-central-1" };

/** Cognito's timeout for a trigger, in milliseconds. */
const lifetime = 5000;
/** Lifetime of an access token, in seconds (infra/constructs/identity.ts). */
const tokenLifetime = 3600;

export type Account = Omit<User, "groups"> & {
  readonly sub: string;
  groups: string[];
  /** Time at which the account was deleted. */
  goneAt: number;
  /** Time at which a password was first set with a code from the account's mailbox. */
  provenAt: number;
};

/** A session of an account. Its refresh token is used until the session ends. */
export type Session = {
  readonly id: string;
  readonly account: Account;
  readonly authTime: number;
  /** Whether the sign-in asked for a code of the authenticator app. */
  readonly usedApp: boolean;
  isOver: boolean;
};

/** The payload of an access token. */
export type Token = Readonly<Record<string, unknown>>;

/** An issued token, with the times at which its trigger was called and responded. */
type Issue = Pick<Outcome, "from" | "to"> & { readonly account: Account; readonly userId: number };

/** The responses to a person who reads their own profile and a membership. */
type Visit = Record<"me" | "membership", Outcome> & { readonly userId: number };

/** The user pool: accounts and their sessions. Its triggers are the functions under test. */
export class UserPool {
  readonly accounts: Account[] = [];
  readonly issued: Issue[] = [];
  readonly visits: Visit[] = [];
  readonly #world: World;
  readonly #chance: Chance;
  readonly #sessions: Session[] = [];

  constructor(world: World) {
    this.#world = world;
    this.#chance = new Chance(`${world.seed} user pool`);
  }

  /** Creates an account, unless its address is taken. Each account has a new `sub`. */
  signUp({ email, ...names }: Pick<User, "email" | "given_name">, sub = subOf(1000 + this.accounts.length)) {
    if (this.living.some((one) => one.email === email)) return undefined;
    const status = "UNCONFIRMED" as const;
    const isNew = { email_verified: false, groups: [], has_totp: false, status };
    const never = Number.POSITIVE_INFINITY;
    const account: Account = { sub, username: sub, email, ...names, ...isNew, goneAt: never, provenAt: never };
    this.accounts.push(account);
    return account;
  }

  /** The accounts that have not been deleted. */
  get living(): Account[] {
    return this.accounts.filter(({ goneAt }) => goneAt === Number.POSITIVE_INFINITY);
  }

  /** The session that an access token belongs to. */
  sessionOf({ origin_jti }: Token): Session | undefined {
    return this.#sessions.find(({ id }) => id === origin_jti);
  }

  /** The owner of a mailbox enters a code from it, after a sign-up or with a new password. */
  async confirm(account: Account, source: "ConfirmSignUp" | "ConfirmForgotPassword"): Promise<void> {
    const { timeline } = this.#world;
    account.email_verified = true;
    account.status = "CONFIRMED";
    if (source === "ConfirmForgotPassword") account.provenAt = Math.min(account.provenAt, timeline.now);
    const event = confirmationEvent(pool, account, source) as unknown as PostConfirmationTriggerEvent;
    await this.#trigger("post-confirmation", confirmationTimeout, (context) => protectProfile(event, context));
  }

  /** Signs in. @returns undefined if the sign-in is refused */
  async signIn(account: Account): Promise<{ readonly session: Session; readonly token: Token } | undefined> {
    if (account.status !== "CONFIRMED") return undefined;
    const { timeline } = this.#world;
    const authTime = Math.floor(timeline.now / 1000);
    const session = {
      id: `session-${this.#sessions.length}`,
      account,
      authTime,
      usedApp: account.has_totp,
      isOver: false,
    };
    this.#sessions.push(session);
    const token = await this.#issue(session, "Authentication");
    return token && { session, token };
  }

  /** Issues a new access token for a session. @returns undefined if the refresh is refused */
  async refresh(session: Session): Promise<Token | undefined> {
    return session.isOver ? undefined : this.#issue(session, "RefreshTokens");
  }

  /** Deletes an account, which ends its sessions. */
  delete(account: Account): void {
    account.goneAt = Math.min(account.goneAt, this.#world.timeline.now);
    this.#endSessions(account);
  }

  /** The verified email address of the account with a `sub`. People whose token is always valid have that of their profile. */
  verifiedEmail(sub: string): Promise<string | undefined> {
    return this.#call(() => {
      const account = this.accounts.find((one) => one.sub === sub);
      if (!account) return ofKind(this.#world, "user").find((user) => user.sub === sub)?.email as string | undefined;
      return account.email_verified && this.living.includes(account) ? account.email : undefined;
    });
  }

  /** The `sub` of the account of a person, like for an erasure. Those whose token is always valid have that of their profile. */
  accountOf({ sub, email }: { readonly sub: string | null; readonly email: string }): Promise<string | null> {
    return this.#call(() => {
      if (email === "" || this.living.some((one) => one.sub === sub)) return sub;
      return this.#subOf(email) ?? sub;
    });
  }

  /** Deletes the account with a `sub`, like an erasure. */
  deleteAccount(sub: string): Promise<void> {
    return this.#call(() => {
      const account = this.living.find((one) => one.sub === sub);
      if (account) this.delete(account);
    });
  }

  async #issue(session: Session, source: TokenSource): Promise<Token | undefined> {
    const { timeline } = this.#world;
    const { account, id, authTime } = session;
    const { sub, username, groups } = account;
    if (account.goneAt <= timeline.now) return undefined;
    // A cold start of the trigger takes additional time.
    await this.#world.busy(timeline.wait(this.#chance.next() * (this.#chance.is(0.3) ? 2000 : 20)));
    const from = timeline.now;
    const event = tokenEvent(pool, account, source);
    const isDone = await this.#trigger("pre-token-generation", tokenTimeout, (context) =>
      addClaims(event as unknown as PreTokenGenerationV2TriggerEvent, context),
    );
    if (!isDone) return undefined;
    const to = timeline.now;
    const base = { sub, username, token_use: "access", origin_jti: id, auth_time: authTime };
    const exp = Math.floor(to / 1000) + tokenLifetime;
    const token = overridden({ ...base, exp, "cognito:groups": groups }, overridesOf(event));
    this.issued.push({ account, userId: Number(token.user_id), from, to });
    return token;
  }

  /** Calls a trigger. @returns whether it succeeded */
  async #trigger(name: string, timeoutMs: number, work: (context: TriggerContext) => Promise<void>): Promise<boolean> {
    const world = this.#world;
    const isSluggish = world.faults.isOn && this.#chance.is(0.1);
    const { skew } = this.#chance.pick(world.environments) ?? { skew: 0 };
    const run = world.invoke(name, { lifetime, isSluggish, skew }, (mount) =>
      work({ table: mount.table(mount.deadline(timeoutMs)), pool: this.#forTriggers, now: mount.now }),
    );
    try {
      await world.busy(run);
      return true;
    } catch (error) {
      if (!(error instanceof Crashed) && !isRefusal(error))
        world.violate("sign-in", `${name} failed with ${String(error)}`);
      world.journal.note(`${name} failed: ${String(error)}`);
      return false;
    }
  }

  /** The interface of the pool that triggers call. */
  readonly #forTriggers: Pool = {
    isGone: (_, sub) => this.#call(() => !this.living.some((one) => one.sub === sub)),
    hasTotp: (_, username) => this.#call(() => this.#find(username)?.has_totp ?? false),
    verifiedEmail: (_, sub) => this.verifiedEmail(sub),
    subOf: (_, email) => this.#call(() => this.#subOf(email)),
    resetPassword: (_, username) =>
      this.#call(() => {
        const account = this.#find(username);
        if (account) account.status = "RESET_REQUIRED";
      }),
    deleteAccount: (_, sub) => this.deleteAccount(sub),
    endSessions: (_, username) =>
      this.#call(() => {
        const account = this.#find(username);
        if (account) this.#endSessions(account);
      }),
  };

  #subOf(email: string): string | undefined {
    const isTheirs = (one: Account) => one.email_verified || one.status === "UNCONFIRMED";
    return this.living.find((one) => one.email === email && isTheirs(one))?.sub;
  }

  #find(username: string): Account | undefined {
    return this.living.find((one) => one.username === username);
  }

  #endSessions(account: Account): void {
    for (const session of this.#sessions) if (session.account === account) session.isOver = true;
  }

  #call<T>(effect: () => T): Promise<T> {
    const invocation = currentInvocation();
    if (!invocation) throw new Error("Nothing asks the pool outside of an invocation");
    return invocation.call({
      target: "pool",
      effect,
      failure: (fault) => Object.assign(new Error(`Injected: ${fault}`), { name: "InternalErrorException" }),
    });
  }
}

/** Whether an error of a trigger is expected: the person is refused, or a dependency was not available. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && ["Problem", "UnprovenAccount", "InternalErrorException"].includes(error.name);
