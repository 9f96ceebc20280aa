import { createHmac } from "node:crypto";
import { EventEmitter } from "node:events";
import https, { type RequestOptions } from "node:https";
import { syncBuiltinESMExports } from "node:module";
import type { DomainEvent } from "#lib/contract/events.ts";
import { Chance } from "../chance.ts";
import { currentInvocation, type Invocation } from "./invocation.ts";
import type { Outcome } from "./requests.ts";
import { isOk, mayHaveActed } from "./requests.ts";
import type { World } from "./world.ts";

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

const modes = ["well", "error", "throttled", "gone", "redirect", "silent", "slow", "refused"] as const;
type Mode = (typeof modes)[number];

const statuses: Readonly<Partial<Record<Mode, number>>> = { error: 500, throttled: 429, gone: 410, redirect: 302 };

type Event = Omit<DomainEvent, "type" | "data"> & {
  readonly type: string;
  readonly data: { readonly member?: EventMember };
};
type EventMember = MemberState & { readonly user_id: number; readonly access: { readonly granted: boolean } };

/** The state of a member that a receiver stores. */
export type MemberState = Readonly<Record<(typeof memberFields)[number], unknown>>;
export const memberFields = [
  "status",
  "tier_id",
  "is_blocked",
  "current_period_end",
  "cancel_at_period_end",
  "cancel_at",
  "canceled_at",
  "ended_at",
  "lifetime_spend_cents",
  "total_refunded_cents",
] as const;

/** What a receiver knows of a subject, and the sequence of the event that it comes from. */
export type Known = { readonly sequence: number; readonly isGranted: boolean; readonly member: MemberState };

/** One request to a receiver. */
export type Attempt = {
  readonly event: Event;
  readonly url: string;
  readonly invocation: Invocation;
  /** Time at which the connection was begun. */
  readonly startedAt: number;
  /** Time at which the request arrived. */
  readonly at: number;
  /** Time of the response, or of the timeout. */
  endedAt?: number;
  /** Status of the response. 0 if the connection was refused. */
  status?: number;
};

/**
 * Another system that receives events. It is available most of the time, follows the guide, and stores what it
 * receives.
 */
class Receiver {
  readonly attempts: Attempt[] = [];
  readonly secrets = new Set<string>();
  /** Number of requests that may have created a secret that nobody has received, or not yet. */
  doubts = 0;
  /** What the receiver knows, by subject, since it last read all members. */
  known = new Map<string, Known>();
  /** Time at which the receiver began to read all members. Negative infinity if it has not finished. */
  readSince = Number.NEGATIVE_INFINITY;
  readonly #world: World;
  readonly #chance: Chance;
  #mode: Mode = "well";
  #until: number;
  #reading = 0;

  constructor(world: World, name: string) {
    this.#world = world;
    this.#chance = new Chance(`${world.seed} receiver ${name}`);
    this.#until = world.timeline.now + this.#chance.next() * (this.#chance.is(0.5) ? hour : 6 * day);
  }

  /** Begins to read all members. @returns a function that takes the complete list */
  beginReading(): (members: readonly (readonly [subject: string, Known])[]) => void {
    const reading = ++this.#reading;
    const since = this.#world.timeline.now;
    this.known = new Map();
    this.readSince = Number.NEGATIVE_INFINITY;
    return (members) => {
      if (reading !== this.#reading) return;
      for (const [subject, state] of members) this.#apply(subject, state);
      this.readSince = since;
    };
  }

  /** Responds to a request: with a status, never, or with a refused connection. */
  async take({ event, ...attempt }: Attempt, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
    const chance = this.#chance;
    const mode = this.#modeNow();
    const wait = this.#world.timeline.wait;
    if (mode === "refused") throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    if (!this.#isSigned(headers, body)) {
      if (this.doubts === 0)
        this.#world.violate("signatures", `${attempt.url} got ${event.id}, which no secret of it has signed`);
      return 401;
    }
    if (headers["webhook-id"] !== event.id)
      this.#world.violate("signatures", `${event.id} came as ${headers["webhook-id"]}`);
    // A receiver that responds with a failure may have processed the event.
    if (mode === "well" || mode === "slow" || chance.is(0.3)) this.#follow(event);
    await wait(mode === "slow" ? second + chance.next() * 19 * second : 5 + chance.next() * 300);
    if (mode === "silent") await new Promise(() => {});
    return statuses[mode] ?? 204;
  }

  #follow({ subject, sequence, data: { member } }: Event): void {
    if (!member) return;
    const state = Object.fromEntries(memberFields.map((name) => [name, member[name]])) as MemberState;
    this.#apply(subject, { sequence, isGranted: member.access.granted, member: state });
  }

  #apply(subject: string, state: Known): void {
    if (state.sequence > (this.known.get(subject)?.sequence ?? 0)) this.known.set(subject, state);
  }

  /**
   * Verifies a request by the Standard Webhooks specification: signed with one of the secrets, with a recent timestamp.
   */
  #isSigned(headers: Readonly<Record<string, string>>, body: string): boolean {
    const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": given = "" } = headers;
    if (Math.abs(Number(at) * second - this.#world.timeline.now) > 5 * minute) return false;
    return [...this.secrets].some((secret) => {
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      const signature = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64");
      return given.split(" ").includes(`v1,${signature}`);
    });
  }

  #modeNow(): Mode {
    const chance = this.#chance;
    const { faults, timeline } = this.#world;
    while (this.#until <= timeline.now) {
      const isWell = this.#mode !== "well";
      const outage = chance.pick([minute, hour, day, 4 * day, 12 * day]) ?? hour;
      const rest = chance.pick([hour, day, 20 * day]) ?? day;
      this.#until += chance.next() * (isWell ? rest : outage);
      const others = { error: 6, throttled: 2, gone: 1, redirect: 1, silent: 4, slow: 4, refused: 3 };
      this.#mode = isWell ? "well" : (chance.weighted<Mode>(others) ?? "error");
    }
    if (!faults.isOn) return "well";
    const isFlawed = faults.strikes("receiver_fails", chance);
    return isFlawed ? (chance.pick(modes) ?? "well") : this.#mode;
  }
}

export type { Receiver };

/** The receivers of event destinations, by host name. */
export class Receivers {
  readonly #world: World;
  readonly #byName = new Map<string, Receiver>();

  constructor(world: World) {
    this.#world = world;
  }

  at(url: string): Receiver {
    const name = new URL(url).hostname;
    const receiver = this.#byName.get(name) ?? new Receiver(this.#world, name);
    this.#byName.set(name, receiver);
    return receiver;
  }

  /** Stores the secret in the response to a request. */
  async learn(url: string, request: Promise<Outcome>): Promise<void> {
    const receiver = this.at(url);
    receiver.doubts++;
    const outcome = await request;
    const { secret } = outcome.body as { readonly secret?: string };
    if (secret !== undefined) receiver.secrets.add(secret);
    if (isOk(outcome) || !mayHaveActed(outcome)) receiver.doubts--;
  }

  get attempts(): readonly Attempt[] {
    return [...this.#byName.values()].flatMap(({ attempts }) => attempts);
  }

  post(url: string, { headers, signal }: RequestOptions, body: string): Promise<number> {
    const invocation = currentInvocation();
    if (!invocation) throw new Error("Nothing is posted outside of an invocation");
    const receiver = this.at(url);
    const { timeline } = this.#world;
    const startedAt = timeline.now;
    return invocation.call({
      target: "receiver",
      signal,
      failure: (fault) => new Error(`Injected: ${fault}`),
      effect: async () => {
        const attempt: Attempt = { event: JSON.parse(body) as Event, url, invocation, startedAt, at: timeline.now };
        receiver.attempts.push(attempt);
        const end = (status?: number) => {
          if (attempt.endedAt !== undefined) return;
          attempt.endedAt = timeline.now;
          if (status !== undefined) attempt.status = status;
        };
        signal?.addEventListener("abort", () => end());
        void invocation.over.then(() => end());
        try {
          const status = await receiver.take(attempt, headers as Record<string, string>, body);
          end(status);
          return status;
        } catch (error) {
          end(0);
          throw error;
        }
      },
    });
  }
}

let current: Receivers | undefined;

/** Sends requests of functions to these receivers. */
export function useReceivers(receivers: Receivers): void {
  current = receivers;
}

/** Redirects HTTPS requests of code in an invocation to the receivers of its world. */
export function useSimulatedNetwork(): void {
  const request = (url: string, options: RequestOptions, respond: (response: EventEmitter) => void) => {
    const sent = new EventEmitter();
    const end = (body: string) => {
      if (!current) throw new Error("There are no receivers");
      current.post(url, options, body).then(
        (statusCode) => respond(Object.assign(new EventEmitter(), { statusCode })),
        (error: unknown) => sent.emit("error", error),
      );
    };
    return Object.assign(sent, { end, destroy() {} });
  };
  https.request = request as never;
  syncBuiltinESMExports();
}
