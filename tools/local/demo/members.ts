import type { Person } from "#lib/domain/member.ts";
import { newId } from "#lib/ids.ts";
import * as customers from "#lib/store/customers.ts";
import type { Stack } from "../stack.ts";
import { complete } from "../stripe/core/checkout-completion.ts";
import { emit } from "../stripe/core/events.ts";
import type { LocalStripe } from "../stripe/server.ts";
import { addProfile, tokenFor } from "../users.ts";

/** What is special about a demo member; the rest pay for their tier month by month. */
type Kind = {
  readonly tier: number;
  readonly community?: number;
  /** Days since they joined. */
  readonly days: number;
  /** Their card fails once they have joined. */
  readonly card?: "fails";
  readonly isDeclined?: true;
  /** What the owner does to them afterwards. */
  readonly afterwards?: readonly [action: string, body?: object];
};

/** The first of them is the member whose token is printed. */
const kinds: readonly Kind[] = [
  { tier: 12, days: 130 },
  { tier: 12, days: 5 },
  { tier: 11, days: 32, card: "fails" },
  { tier: 11, days: 55, card: "fails" },
  { tier: 13, days: 70, afterwards: ["cancel_subscription", { mode: "immediately", feedback: "too_expensive" }] },
  { tier: 11, days: 0, isDeclined: true },
  { tier: 11, days: 95, afterwards: ["block", { reason: "Resold member bottles" }] },
  { tier: 13, days: 100, afterwards: ["issue_refund", { amount_cents: 4500, note: "The bottle arrived broken" }] },
  { tier: 11, days: 40, afterwards: ["cancel_subscription", { feedback: "unused" }] },
  ...Array.from({ length: 55 }, (_, n) => ({ tier: 11 + (n % 3), days: 120 - 2 * n })),
  ...Array.from({ length: 3 }, (_, n) => ({ tier: 21 + (n % 2), community: 2, days: 50 + 20 * n })),
];

const firstNames = ["Ana", "Bruno", "Chloé", "Dilan", "Emre", "Fiona", "Giulia", "Håkon"];
const lastNames = ["Peña", "Quist", "Rossi", "Šimić", "Thorsen", "Ulloa", "Vance", "Weiß", "Young"];

type Local = Stack & { readonly stripe: LocalStripe };

/**
 * Lets people join through checkout, each on their own day in the past, and time pass since. Then Stripe tells us of
 * every customer once, and the webhook makes their membership of it, as it does when deployed.
 */
export async function addMembers(stack: Local, first: Omit<Person, "email">): Promise<void> {
  const people = kinds.map((_, n) => (n === 0 ? first : personOf(n)));
  const left = kinds.entries();
  const joinNext = async () => {
    for (const [n, kind] of left) {
      const person = people[n] ?? first;
      await addProfile(stack.table, person);
      await join(stack, person.id, kind);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, joinNext));
  stack.listenToStripe();
  stack.stripe.act((account) => {
    for (const customer of account.rows("customer")) emit(account, "customer.updated", customer);
  });
  await stack.stripe.settled();

  for (const [n, { afterwards }] of kinds.entries()) {
    const person = people[n];
    if (!afterwards || !person) continue;
    const path = "/odis/v1/communities/1/members";
    const { data } = await call(stack, owner, "GET", `${path}?query=${person.username}`);
    const [member] = data as { id: number }[];
    const [action, body] = afterwards;
    await call(stack, owner, "POST", `${path}/${member?.id}/${action}`, body);
  }
  await stack.stripe.settled();
}

const owner = 3;

/** How many join at the same time: a busy machine answers more too late. */
const concurrency = 4;
const day = 86_400;

async function join(
  stack: Local,
  userId: number,
  { tier, community = 1, days, card, isDeclined }: Kind,
): Promise<void> {
  const { stripe, url } = stack;
  // The id that the checkout would draw today is one of the day on which they join.
  const place = { userId, communityId: community, tierId: tier };
  await customers.reserve(stack.table, place, undefined, newId(new Date(Date.now() - days * day * 1000), Math.random));
  const path = `/odis/v1/communities/${community}/checkout_sessions`;
  const session = await call(stack, userId, "POST", path, { tier_id: tier, success_url: url, cancel_url: url });
  const shipping = tier % 10 > 1 ? { shipping: { address: home } } : {};
  if (isDeclined) {
    const given = { method: "POST", headers: { "content-type": "application/json" }, body: '{"decline":true}' };
    await fetch(`${String(session.url)}/complete`, given);
    return;
  }
  const at = Math.floor(Date.now() / 1000) - days * day;
  stripe.act(
    (account) => {
      complete(account, String(session.id), { decline: false, ...shipping });
      account.faults.decline = card === undefined ? 0 : Number.POSITIVE_INFINITY;
      account.faults.after_retries = "unpaid";
    },
    { at },
  );
  // What fell due since that day happens first, with the card as it is.
  stripe.act((account) => Object.assign(account.faults, { decline: 0, after_retries: "canceled" }));
}

async function call({ url, cognito }: Stack, as: number, method: string, path: string, body?: object) {
  const token = await tokenFor(cognito, { id: as, expiresIn: 600 });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

const home = { line1: "Calle Reforma 12", city: "Oaxaca de Juárez", state: "OAX", postal_code: "68000", country: "MX" };

function personOf(n: number): Omit<Person, "email"> {
  const first_name = firstNames[n % firstNames.length] ?? "";
  const last_name = lastNames[Math.floor(n / firstNames.length) % lastNames.length] ?? "";
  const username = `${first_name}.${last_name}`
    .normalize("NFKD")
    .replace(/[^\w.]/g, "")
    .toLowerCase();
  return { id: 100 + n, username, first_name, last_name };
}
