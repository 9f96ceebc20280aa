import type { Endpoint } from "#lib/http/handler.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { Chance } from "../chance.ts";
import { actFor } from "../world/causes.ts";
import { communitiesOf, membersOf, type ShownCommunity, tiersOf } from "../world/records.ts";
import { type As, type Call, isOk, mayHaveActed, type Outcome, request } from "../world/requests.ts";
import { recordIn, tagged } from "../world/tags.ts";
import type { World } from "../world/world.ts";

export const admin: As = { id: 1, groups: ["admin"] };
export const editor: As = { id: 2, groups: ["editor"] };

/** The origin to which Stripe's pages may return. */
export const origin = "https://app.example";

/** Calls Stripe and ignores refusals, which have no effect. */
export async function tried(world: World, what: string, act: () => Promise<unknown>): Promise<void> {
  const outcome = await act().then(
    () => "done",
    (error: unknown) => (error as { code?: string }).code ?? "refused",
  );
  world.journal.note(`Stripe: ${what}: ${outcome}`);
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Whether a record belongs to a member, to their customer or to their community. */
function isOf({ community_id, stripe_customer_id }: StoredMember, record: { readonly id: string | number }): boolean {
  const of: { readonly id: unknown; readonly customer?: unknown; readonly community_id?: unknown } = record;
  if ("customer" in of) return of.customer !== null && of.customer === stripe_customer_id;
  return of.id === community_id || of.community_id === community_id;
}

/** Prepares an act. What that reads and writes does not count as read and written by the act. */
export const prepare = <T>({ name }: Scene, work: () => Promise<T>): Promise<T> =>
  actFor({ name: "preparation", run: `${name} preparation` }, work);

/** Acts like another act. What that reads and writes counts as read and written by the other act. */
export const actLike = <T>(act: string, { name }: Scene, work: () => Promise<T>): Promise<T> =>
  actFor({ name: act, run: `${name} ${act}` }, work);

/** The context of one act: what the actor can see, and how the actor sends requests. */
export class Scene {
  readonly world: World;
  readonly chance: Chance;
  /** Records that the act creates are named after it, so that they can be recognized. */
  readonly name: string;
  /** The ids of the records that acts with the same subject have picked. */
  readonly #chosen: Set<string | number> | undefined;
  readonly #isAboutMember: boolean;
  readonly #isAboutNewTier: boolean;
  #requests = 0;

  constructor(world: World, name: string, subject?: string) {
    this.world = world;
    this.name = name;
    this.#chosen = subject === undefined ? undefined : world.chosenFor(subject);
    this.#isAboutMember = new Chance(`${world.seed} ${subject} person`).is(0.8);
    this.#isAboutNewTier = subject !== undefined && new Chance(`${world.seed} ${subject} tier`).is(0.5);
    this.chance = new Chance(`${world.seed} ${name}`);
  }

  /** The member whom this act and another act of a pair are about. Undefined for acts without a subject. */
  subject(): StoredMember | undefined {
    const chosen = this.#chosen;
    if (!chosen) return undefined;
    const all = membersOf(this.world);
    const member = all.find(({ id }) => chosen.has(id)) ?? this.#newSubject(all);
    if (member) chosen.add(member.id);
    return member;
  }

  /** Picks a member whom no other pair is about, in most cases one with a subscription who owns no community. */
  #newSubject(all: readonly StoredMember[]): StoredMember | undefined {
    const living = all.filter((one) => one.erased_at === undefined);
    const free = living.filter(({ id }) => !this.world.isChosen(id));
    const owners = new Set(communitiesOf(this.world).map(({ owner_id }) => owner_id));
    const subscribed = free.filter(
      (one) => one.stripe_subscription_id !== null && one.status !== "canceled" && !owners.has(one.user.id),
    );
    const wanted = this.chance.is(0.9) ? subscribed : free;
    return this.chance.pick(wanted) ?? this.chance.pick(living);
  }

  /**
   * Picks a record at random. Acts with the same subject pick the same record. The first of them picks one of the
   * subject's customer or community, if possible.
   */
  pick<T extends { readonly id: string | number }>(records: readonly T[]): T | undefined {
    const chosen = this.#chosen;
    if (!chosen) return this.chance.pick(records);
    const subject = this.subject();
    const own = records.filter((record) => subject && isOf(subject, record));
    const record = records.find(({ id }) => chosen.has(id)) ?? this.chance.pick(own.length > 0 ? own : records);
    if (record) chosen.add(record.id);
    return record;
  }

  /** Picks a person who may have a profile: that of the act's subject, or any. */
  person(): number {
    const own = this.#isAboutMember ? this.subject()?.user.id : undefined;
    return own ?? this.pick(this.world.people.map((id) => ({ id })))?.id ?? 0;
  }

  /** Picks a person to whom a community may be transferred: in most pairs that of the act's subject. */
  heir({ owner_id }: ShownCommunity): number {
    const own = this.subject() && this.chance.is(0.6) ? this.person() : owner_id;
    return own === owner_id ? (this.chance.pick(this.world.people.filter((id) => id !== owner_id)) ?? 0) : own;
  }

  community(): ShownCommunity {
    const community = this.pick(communitiesOf(this.world));
    if (!community) throw new Error("There is no community");
    return community;
  }

  /** A caller who may manage a community, in most cases its owner. */
  manager({ owner_id }: ShownCommunity): As {
    return this.chance.is(0.2) ? admin : { id: owner_id };
  }

  /** Picks a tier. Half of the subjects are about a tier that nobody has used. */
  tier(communityId?: number) {
    const all = communityId === undefined ? tiersOf(this.world) : this.tiers(communityId);
    const unused = this.#isAboutNewTier ? all.filter(({ in_use }) => !in_use) : [];
    return this.pick(unused.length > 0 ? unused : all);
  }

  tiers(communityId: number) {
    return tiersOf(this.world).filter(({ community_id }) => community_id === communityId);
  }

  member(communityId?: number) {
    const all = membersOf(this.world);
    const subject = this.subject();
    if (subject && (communityId === undefined || subject.community_id === communityId)) return subject;
    return this.chance.pick(communityId === undefined ? all : all.filter((one) => one.community_id === communityId));
  }

  /** A member whose tier or interval will change, or any if there is none. */
  changing() {
    return this.pick(membersOf(this.world).filter(({ scheduled_change }) => scheduled_change)) ?? this.member();
  }

  /** A member, and a caller who may manage their community. */
  managed(member = this.member()) {
    const community = communitiesOf(this.world).find(({ id }) => id === member?.community_id);
    if (!member || !community) return undefined;
    const params = { community_id: community.id, id: member.id };
    return { member, community, params, as: this.manager(community) };
  }

  /** Sends a request once, to a random environment. */
  send(endpoint: Endpoint | "explore", call: Call): Promise<Outcome> {
    return this.#send(endpoint, call, this.chance.integer(0, 99));
  }

  /** Sends a request once, to a given environment. */
  sendTo(place: number, endpoint: Endpoint | "explore", call: Call): Promise<Outcome> {
    return this.#send(endpoint, call, place);
  }

  /**
   * Sends a request like a careful client. Most POST requests have an idempotency key and are retried if there is no
   * response. Some are also sent twice at the same time, or repeated much later. After a 429 response, the client waits
   * as long as it says, or gives up. Some changes require the version of the record that was shown last.
   */
  async call(endpoint: Endpoint, given: Call): Promise<Outcome> {
    const { chance } = this;
    const isPost = endpoint.route.method === "POST";
    const key = isPost && chance.is(0.7) ? `key-${this.name}-${this.#requests}` : undefined;
    const call = { ...given, key, ...this.#conditionOf(endpoint, given) };
    const places = Array.from({ length: 5 }, () => chance.integer(0, 99));
    const [isDoubled, isLater] = [key !== undefined && chance.is(0.15), key !== undefined && chance.is(0.06)];
    const delays = places.map(() => chance.next());
    const later = chance.weighted({ minutes: 5, hours: 3, days: 2 });

    const start = this.world.timeline.now;
    const twin = isDoubled
      ? this.#after((delays[0] ?? 0) * 100, () => this.#send(endpoint, call, places[0]))
      : undefined;
    let outcome = await this.#send(endpoint, call, places[1]);
    let begun = outcome;
    const isInProgress = () => outcome.body.code === "request_in_progress";
    const isInDoubt = () => key !== undefined && (outcome.status >= 500 || isInProgress());
    const isLimited = () => outcome.status === 429 && delays[4] !== undefined && delays[4] < 0.7;
    for (let attempt = 2; (isInDoubt() || isLimited()) && attempt <= 4; attempt++) {
      const wait = second * (Number(outcome.headers["retry-after"] ?? 1) + (delays[attempt] ?? 0) * 6);
      const next = await this.#after(wait, () => this.#send(endpoint, call, places[attempt]));
      // A refusal because of the rate limit says nothing about an earlier attempt.
      if (next.status === 429) continue;
      // A caller who has lost the permission in the meantime does not learn the outcome.
      if (next.status === 403 || (next.status === 401 && call.as?.apiKey)) break;
      outcome = next;
      if (mayHaveActed(outcome)) begun = outcome;
    }
    // The outcome of an attempt in progress is never returned, and the attempt may take effect.
    if (isInProgress()) outcome = begun;
    const outcomes = [outcome, ...(twin ? [await twin] : [])];
    if (isLater) {
      const span = { minutes: 20 * minute, hours: 20 * hour, days: 50 * hour }[later ?? "minutes"];
      const delay = (delays[0] ?? 0) * span;
      if (delay > 23 * hour) this.world.mayRepeat.add(this.name);
      void this.#after(delay, () => this.#send(endpoint, call, places[0]));
    }
    // Any of the attempts may have had the effect. None began before `start`.
    const known =
      outcomes.find(isOk) ?? outcomes.find(mayHaveActed) ?? outcomes.find(({ status }) => status !== 429) ?? outcome;
    return { ...known, from: start, mayRepeat: this.world.mayRepeat.has(this.name) };
  }

  /** In some requests, the header that makes a change conditional on the version of the record that was shown last. */
  #conditionOf({ route: { method, path } }: Endpoint, { params, headers }: Call): Pick<Call, "headers"> | undefined {
    const tag = this.world.tags.get(recordIn(path, params) ?? "");
    if (method === "GET" || tag === undefined || headers || !this.chance.is(0.2)) return undefined;
    return { headers: { "if-match": tag } };
  }

  async #after<T>(milliseconds: number, act: () => Promise<T>): Promise<T> {
    await this.world.timeline.wait(milliseconds);
    return act();
  }

  async #send(endpoint: Endpoint | "explore", call: Call, place = 0): Promise<Outcome> {
    const seed = `${this.name}.${++this.#requests}`;
    const running = request(this.world, endpoint, call, { seed, place });
    if (call.receiver !== undefined) void this.world.receivers.learn(call.receiver, running);
    const outcome = await this.world.busy(running);
    this.world.answers.note(endpoint, call, outcome);
    const shown = endpoint !== "explore" && tagged(endpoint.route.path, call, outcome);
    if (shown) this.world.tags.set(shown.name, shown.tag);
    return outcome;
  }
}
