import type { Attempt } from "../world/answers.ts";
import { isOk } from "../world/requests.ts";
import type { World } from "../world/world.ts";
import { PastState } from "./past-state.ts";

type Right = "anybody" | "user" | "owner" | "editor" | "admin";

/** Who may call a route (`docs/api.md`, section 2). The first pattern that matches applies. */
const rights: readonly (readonly [RegExp, Right])[] = [
  [/^(explore$|ANY |GET \/health$)/, "anybody"],
  [/^GET \/odis\/v1\/communities(\/{id})?$/, "anybody"],
  [/^GET .*\/tiers(\/{id})?$/, "anybody"],
  [/^GET .*\/brands(\/{id})?$/, "user"],
  [/\/producers\//, "editor"],
  [/\/(me|membership)(\/|$)/, "user"],
  [/_sessions$/, "user"],
  [/^POST \/odis\/v1\/communities$/, "admin"],
  [/\/users\b/, "admin"],
  [/\/(invitations|api_keys)\/{id}/, "user"],
  [/\/(communities|tiers|benefits|event_destinations)\//, "owner"],
];

/** The roles that may call a route with the right `owner`. The first pattern that matches applies. */
const roles: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^GET .*\/(stats|series|benefits)(\/{id})?$/, ["manager", "support", "viewer"]],
  [/\/(issue_refund|refund_charge|change_subscription|scheduled_change|import|deliveries)$/, ["manager"]],
  [/\/(members|movements|activity|events|transactions)/, ["manager", "support"]],
  [/\/(event_destinations|team|invitations|api_keys)/, []],
  [/\/(communities|tiers|benefits)/, ["manager"]],
];

type Body = { readonly community?: object } | undefined;

function rightFor({ name, call: { query = "", body } }: Attempt): Right | undefined {
  const { community = {} } = (body as Body) ?? {};
  if (name === "explore" && query.includes("filter=my_communities")) return "user";
  if (name === "GET /odis/v1/communities" && !query.includes("slug=")) return "admin";
  const isAdmins = ["owner_id", "status", "trending_pin"].some((field) => field in community);
  if (name.startsWith("PATCH /odis/v1/communities/{id}") && isAdmins) return "admin";
  return rights.find(([pattern]) => pattern.test(name))?.[1];
}

function groupsOf({ call: { as } }: Attempt): readonly unknown[] {
  const groups = as?.token?.["cognito:groups"] ?? as?.groups;
  return Array.isArray(groups) ? groups : [];
}

/** Routes that read the caller's profile, and so reject the token of an erased person (`docs/api.md`, section 11). */
const readsProfile = /^GET .*\/me(\/data)?$|_sessions$/;

/** Whether the caller of a request had the right to make it at some time between its start and its response. */
function isAllowed(past: PastState, right: Right, attempt: Attempt): boolean {
  const { as } = attempt.call;
  if (as?.apiKey)
    return right === "owner" && past.rolesDuring(attempt).some((role) => rolesFor(attempt).includes(role));
  if (right === "anybody") return true;
  if (!as) return false;
  const groups = groupsOf(attempt);
  if (readsProfile.test(attempt.name) && past.isErased(attempt)) return false;
  if (right === "user" || groups.includes("admin")) return true;
  if (right === "editor") return groups.includes("editor");
  if (right !== "owner") return false;
  if (attempt.name.endsWith("/team/{user_id}") && attempt.name.startsWith("DELETE"))
    if (attempt.call.params?.user_id === as.id) return true;
  const allowed = rolesFor(attempt);
  return past.ownersDuring(attempt).includes(as.id) || past.rolesDuring(attempt).some((role) => allowed.includes(role));
}

const rolesFor = ({ name }: Attempt): readonly string[] => roles.find(([pattern]) => pattern.test(name))?.[1] ?? [];

const address = /@example\.com|\b(Road|Street|Lane)\b|\b(notes|comment|refund) of\b/;
const statusesOfRefusal: readonly number[] = [401, 403, 404];

/**
 * Callers without the right to make a request are refused, learn nothing and change nothing. This includes requests
 * that were sent after the caller has lost the right.
 */
export function assertRights(world: World): void {
  const past = new PastState(world);
  for (const attempt of world.answers.attempts) {
    const { name, call, outcome } = attempt;
    const who = `user ${call.as?.id} at ${outcome.from}`;
    const wrong = (text: string) => world.violate("rights", `${who}: ${name} ${text}`);
    const right = rightFor(attempt);
    if (!right) wrong("has no rule");
    else if (isAllowed(past, right, attempt)) assertOwnData(past, right, attempt, wrong);
    else {
      const { status, text, headers } = outcome;
      if (!statusesOfRefusal.includes(status) && status < 500) wrong(`was answered ${status}`);
      if (address.test(text)) wrong(`was answered ${text}`);
      const written = past.writtenBy(headers["x-request-id"]);
      if (written.length > 0) wrong(`was answered ${status} and has written ${written.join()}`);
      if (outcome.hasWrittenAtStripe) wrong(`was answered ${status} and has written at Stripe`);
    }
  }
}

/** Only owners, editors and admins are shown other people's data. */
function assertOwnData(past: PastState, right: Right, attempt: Attempt, wrong: (text: string) => void): void {
  const { name, call, outcome } = attempt;
  if (!isOk(outcome) || right === "owner" || right === "admin") return;
  const { id = 0 } = call.as ?? {};
  const others = Array.from(outcome.text.matchAll(/[\w.+-]+@example\.com/g), ([email]) => email).filter(
    (email) => !past.emailsOf(id).includes(email),
  );
  if (others.length > 0) wrong(`showed ${others.join()}`);
  if (!name.endsWith("/me/data") && /\b(Road|Street|Lane)\b/.test(outcome.text)) wrong(`showed ${outcome.text}`);
}

type Membership = { readonly access: { readonly granted: boolean } };

/** A membership shows access exactly if the member had it at some time between the request and the response. */
export function assertAccessThen(world: World): void {
  const past = new PastState(world);
  for (const attempt of world.answers.attempts) {
    const { name, call, outcome } = attempt;
    if (!name.endsWith("/membership") || !isOk(outcome) || !call.as) continue;
    const { access } = outcome.body as unknown as Membership;
    const states = past.accessDuring(attempt);
    if (!states.includes(access.granted))
      world.violate("access", `user ${call.as.id} was shown ${outcome.text} at ${outcome.from}`);
  }
}
