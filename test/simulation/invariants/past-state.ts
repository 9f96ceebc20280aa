import { isDeepStrictEqual } from "node:util";
import { type Kind, kindOf } from "#lib/store/keys.ts";
import type { Attempt } from "../world/answers.ts";
import type { World } from "../world/world.ts";

type Place = { readonly role: string; readonly ownership: number };
type Key = Place & { readonly communityId: number; readonly expiresAt: number };
/** How much the clocks of functions may differ from the simulated time, in milliseconds. */
const skew = 5000;
type Version<T> = { readonly at: number; readonly value: T };
const inCommunities: readonly Kind[] = ["member", "tier", "benefit", "destination"];
const granting: readonly unknown[] = ["active", "trialing", "past_due"];

/** What the table contained at each time of a history, and who has written it. */
export class PastState {
  /** The owners of each community. */
  readonly #owners = new Map<number, Version<number>[]>();
  /** The number of transfers of each community. */
  readonly #ownerships = new Map<number, Version<number>[]>();
  /** The places in teams, by user and community. */
  readonly #places = new Map<string, Version<Place | undefined>[]>();
  /** The API keys. */
  readonly #apiKeys = new Map<number, Version<Key | undefined>[]>();
  /** The user of each member. */
  readonly #users = new Map<number, number>();
  /** Whether each member had access, by user and community. */
  readonly #access = new Map<string, Version<boolean>[]>();
  /** The community of each tier, benefit and destination, by its kind and id. */
  readonly #communities = new Map<string, number>();
  /** The time at which the erasure of each erased person was complete. */
  readonly #erased = new Map<number, number>();
  readonly #emails = new Map<number, string[]>();
  /** The keys of written items, by the id of the request. */
  readonly #written = new Map<string, string[]>();

  constructor({ changes }: World) {
    for (const { at, by, record } of changes) {
      const { Keys, NewImage = {} } = record.dynamodb;
      const key = { pk: Keys.pk?.S ?? "", sk: Keys.sk?.S ?? "" };
      // Requests are counted, and the use of a key is stored, while access is checked. Synchronizations are counted.
      if (by !== undefined && !key.pk.startsWith("USAGE#") && !isUse(record.dynamodb) && !isCount(record.dynamodb))
        append(this.#written, by, `${key.pk} ${key.sk}`);
      const id = Number(NewImage.id?.N);
      const kind = kindOf(key);
      if (kind === "community" && NewImage.owner_id)
        append(this.#owners, id, { at, value: Number(NewImage.owner_id.N) });
      if (kind === "community" && NewImage.owner_id)
        append(this.#ownerships, id, { at, value: Number(NewImage.ownership?.N ?? 0) });
      if (kind === "teamMember") {
        const role = NewImage.role?.S;
        const value = role === undefined ? undefined : { role, ownership: Number(NewImage.right?.M?.ownership?.N) };
        const [user, community] = [key.sk, key.pk].map((text) => Number(text.split("#")[1]));
        append(this.#places, `${user} ${community}`, { at, value });
      }
      if (kind === "apiKey") {
        const { role, right, community_id, expires_at } = NewImage;
        const value = role?.S && {
          role: role.S,
          ownership: Number(right?.M?.ownership?.N),
          communityId: Number(community_id?.N),
          expiresAt: Number(expires_at?.N) * 1000,
        };
        append(this.#apiKeys, Number(key.pk.split("#")[1]), { at, value: value || undefined });
      }
      if (kind === "member") this.#users.set(id, Number(NewImage.user?.M?.id?.N));
      const userId = Number(NewImage.user_id?.N);
      if (kind === "erasure" && NewImage.finished_at?.S && !this.#erased.has(userId)) this.#erased.set(userId, at);
      if (kind === "user") append(this.#emails, id, NewImage.email?.S ?? "");
      if (kind === undefined || !inCommunities.includes(kind)) continue;
      const community = Number(NewImage.community_id?.N ?? key.pk.split("#")[1]);
      if (kind !== "member") this.#communities.set(`${kind} ${id}`, community);
      else {
        const value = granting.includes(NewImage.status?.S) && NewImage.is_blocked?.BOOL !== true;
        append(this.#access, `${NewImage.user?.M?.id?.N} ${community}`, { at, value });
      }
    }
  }

  /** The owners of the community of a request's path, from the start of the request until the response. */
  ownersDuring(attempt: Attempt): number[] {
    return during(this.#owners.get(this.#communityOf(attempt)) ?? [], attempt);
  }

  /** The roles of the caller in the community of a request's path, from the start of the request until the response. */
  rolesDuring(attempt: Attempt): string[] {
    const { as, params = {} } = attempt.call;
    const isOwn = attempt.name.includes("/members/{id}") && this.#users.get(Number(params.id)) === as?.id;
    if (isOwn) return [];
    const communityId = this.#communityOf(attempt);
    const key = as?.apiKey && during(this.#apiKeys.get(as.apiKey.id) ?? [], attempt);
    const valid = key?.filter((one) => one?.communityId === communityId && one.expiresAt > attempt.outcome.from - skew);
    const places = valid ?? during(this.#places.get(`${as?.id} ${communityId}`) ?? [], attempt);
    const ownerships = during(this.#ownerships.get(communityId) ?? [], attempt);
    return places.flatMap((place) => (place && ownerships.some((one) => place.ownership >= one) ? [place.role] : []));
  }

  /** Whether the caller had access to the community of a path, at each time from the request until the response. */
  accessDuring(attempt: Attempt): boolean[] {
    const id = attempt.call.as?.id ?? 0;
    const communityId = this.#communityOf(attempt);
    const all = [{ at: 0, value: false }, ...(this.#access.get(`${id} ${communityId}`) ?? [])];
    const isOwner = this.ownersDuring(attempt).map((owner) => owner === id);
    return isOwner.flatMap((owner) => during(all, attempt).map((isMember) => owner || isMember));
  }

  /** Whether the erasure of the caller was complete before a request. */
  isErased({ call: { as }, outcome }: Attempt): boolean {
    return (this.#erased.get(as?.id ?? 0) ?? Number.POSITIVE_INFINITY) < outcome.from;
  }

  emailsOf(userId: number): readonly string[] {
    return this.#emails.get(userId) ?? [];
  }

  /** The keys of the items that a request has written. */
  writtenBy(requestId: unknown): readonly string[] {
    return this.#written.get(String(requestId)) ?? [];
  }

  #communityOf({ name, call: { params = {} } }: Attempt): number {
    if (name.includes("{community_id}")) return Number(params.community_id);
    if (name.includes("/communities/{id}")) return Number(params.id);
    const [, kind = ""] = name.match(/(tier|benefit|destination)s\/{id}/) ?? [];
    return this.#communities.get(`${kind} ${params.id}`) ?? 0;
  }
}

function append<K, V>(lists: Map<K, V[]>, name: K, value: V): void {
  const list = lists.get(name);
  if (list) list.push(value);
  else lists.set(name, [value]);
}

type Change = World["changes"][number]["record"]["dynamodb"];

/** Whether a change only counts a synchronization that had nothing to change. */
const isCount = ({ OldImage, NewImage }: Change): boolean =>
  OldImage !== undefined &&
  NewImage?.confirmations !== undefined &&
  isDeepStrictEqual({ ...OldImage, confirmations: undefined }, { ...NewImage, confirmations: undefined });

/** Whether a change only stores when an API key was used. */
const isUse = ({ Keys, OldImage, NewImage }: Change): boolean =>
  Keys.pk?.S?.startsWith("API_KEY#") === true && OldImage !== undefined && NewImage !== undefined;

/** The values that were stored at some time between a request and its response. */
const during = <T>(versions: readonly Version<T>[], { outcome: { from, to } }: Attempt): T[] =>
  versions
    .filter(({ at }, n) => at <= to && (versions[n + 1]?.at ?? Number.POSITIVE_INFINITY) >= from)
    .map(({ value }) => value);
