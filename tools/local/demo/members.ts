import type { StoredMember } from "#lib/store/members/item.ts";
import { addProfile } from "../users.ts";
import { type DemoPerson, type Local, live, reprice } from "./happenings.ts";
import { lives, repriced, unpaidSince } from "./year.ts";

/** An event at a time, for the person with this number or for all people. */
type Moment = { readonly at: Date; readonly to: number | "all"; readonly happens: (at: Date) => Promise<unknown> };

const day = 86_400_000;
const nothing = { after: 0, does: "nothing" } as const;

/**
 * Simulates the year day by day, so that the figures of past days are correct. For each day, sets the stand-in's clock,
 * performs the actions that are due at Stripe and the events of the day, and synchronizes the customers.
 */
export async function addMembers(stack: Local, first: DemoPerson, owner: DemoPerson, now: Date): Promise<void> {
  const latest = new Map<number, StoredMember | undefined>();
  const by = { id: owner.id, requestId: "demo" };
  const settings = (after_retries: "unpaid" | "canceled") => async () =>
    stack.stripe.act((account) => Object.assign(account.faults, { after_retries }));
  const moments: Moment[] = [
    { at: daysBefore(now, repriced.ago), to: "all", happens: (at) => reprice(stack, { ...by, now: at }) },
    { at: daysBefore(now, unpaidSince), to: "all", happens: settings("unpaid") },
  ];
  const people = lives.map((life, n) => ({ life, person: n === 0 ? first : personOf(n) }));
  await doAll(
    people.map(
      ({ person }) =>
        () =>
          addProfile(stack.table, person),
    ),
  );
  for (const [n, { life, person }] of people.entries()) {
    for (const happening of life.happens) {
      const at = daysBefore(now, life.joined - happening.after);
      const happens = async () => latest.set(n, await live(stack, { person, life, owner, at }, happening));
      if (at < now) moments.push({ at, to: n, happens });
    }
    // Performs the actions that became due at Stripe after the last event.
    const scene = { person, life, owner, at: now };
    moments.push({ at: now, to: n, happens: async () => isOver(latest.get(n)) || live(stack, scene, nothing) });
  }
  for (const sameDay of together(moments)) {
    stack.setClock(sameDay.at(-1)?.at ?? now);
    await doAll(
      sameDay.map(
        ({ at, happens }) =>
          () =>
            happens(at),
      ),
    );
  }
  const isStaying = ({ status, is_blocked, cancel_at, tier_id }: StoredMember) =>
    status === "active" && !is_blocked && cancel_at === null && tier_id === repriced.tier;
  const [moving] = [...latest].find(([n, member]) => n > 0 && member && isStaying(member)) ?? [];
  const mover = moving === undefined ? undefined : people[moving];
  if (mover) await live(stack, { ...mover, owner, at: now }, { after: 0, does: "change later", tier: 12 });
  await settings("canceled")();
  stack.setClock(new Date());
}

/** Number of people who are processed in parallel. A higher number would cause timeouts on a busy machine. */
const concurrency = 4;

async function doAll(tasks: readonly (() => Promise<unknown>)[]): Promise<void> {
  const left = tasks.values();
  const doNext = async () => {
    for (const task of left) await task();
  };
  await Promise.all(Array.from({ length: concurrency }, doNext));
}

/**
 * Groups the events by day in their order. Events of different people on one day are performed in parallel, which is
 * faster.
 */
function together(moments: readonly Moment[]): Moment[][] {
  const groups: Moment[][] = [];
  for (const moment of moments.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    const group = groups.at(-1) ?? [];
    const [first] = group;
    const isFar = !first || moment.at.getTime() - first.at.getTime() > day;
    const isApart = isFar || moment.to === "all" || group.some(({ to }) => to === "all" || to === moment.to);
    if (isApart) groups.push([moment]);
    else group.push(moment);
  }
  return groups;
}

const isOver = (member: StoredMember | undefined): boolean => member?.status === "canceled";

const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * day);

const firstNames = ["Ana", "Bruno", "Chloé", "Dilan", "Emre", "Fiona", "Giulia", "Håkon", "Inés", "Jonas", "Kamala"];
const lastNames = ["Peña", "Quist", "Rossi", "Šimić", "Thorsen", "Ulloa", "Vance", "Weiß", "Young", "Zając"];

function personOf(n: number): DemoPerson {
  const first_name = firstNames[n % firstNames.length] ?? "";
  const last_name = lastNames[Math.floor(n / firstNames.length) % lastNames.length] ?? "";
  const username = `${first_name}.${last_name}`
    .normalize("NFKD")
    .replace(/[^\w.]/g, "")
    .toLowerCase();
  return { id: 100 + n, username, first_name, last_name };
}
