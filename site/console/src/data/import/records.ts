import { unguarded } from "../../../../../lib/domain/csv.ts";
import { MemberImport } from "../../../../../lib/domain/member-import.ts";
import { validateOne } from "../../../../../lib/http/validation.ts";
import { Problem } from "../../../../../lib/problem.ts";
import { patchMetadata } from "../../../../../lib/values/metadata.ts";
import { centsOf } from "../../format.ts";
import type { FieldName } from "./fields.ts";
import { labelOf, type Plan, rowsOf, shownOrder, tierIdOf } from "./plan.ts";
import type { Row } from "./read-csv.ts";
import { countryCodeOf, statusOf, timestampOf } from "./values.ts";

/** A row with its record, or with the reasons why it cannot be imported. */
export type CheckedRow = Row & {
  readonly record: ImportRecord;
  /** Sentences. Empty if the row can be imported. */
  readonly errors: readonly string[];
};

/** A record in the form that the API takes. */
export type ImportRecord = ReturnType<typeof read>["record"];

/** Reads the rows of a file, and checks them with the schema of the API. */
export function checkRows(plan: Plan): readonly CheckedRow[] {
  const { headers, rows } = rowsOf(plan);
  const dates = shownOrder(plan, rows) ?? plan.dates;
  const lines = new Map<string, number>();
  return rows.map((row) => {
    const { record, errors } = read({ ...plan, dates }, headers, row);
    const email = record.user.email.toLowerCase();
    const earlier = lines.get(email);
    if (earlier === undefined) lines.set(email, row.line);
    else if (email !== "") errors.set("Email", `Line ${earlier} has the same email address.`);
    for (const { pointer, message } of issuesOf(record)) {
      const label = labelAt(pointer);
      if (!errors.has(label)) errors.set(label, `${label} ${message.replace("current_period_start", "the start")}.`);
    }
    return { ...row, record, errors: [...errors.values()] };
  });
}

function issuesOf(record: ImportRecord) {
  const { errors } = validateOne("", MemberImport, record);
  if (errors) return errors;
  try {
    patchMetadata({ notes: "", custom: {} }, record.metadata, "/metadata");
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors?.filter((issue) => "pointer" in issue) ?? [];
  }
}

const labels: Readonly<Record<string, FieldName>> = {
  tier_id: "tier",
  created_at: "joined",
  current_period_start: "from",
  current_period_end: "until",
  cancel_at: "ends",
  ended_at: "ends",
  lifetime_spend_cents: "spent_dollars",
};
const ownLabels =
  "email first_name last_name username status line1 line2 city state postal_code country phone notes".split(" ");

/** The name of a field in the words of the page: `/user/email` → `Email`. Custom data has its own names. */
export function labelAt(pointer: string): string {
  const name = pointer.split("/").at(-1) ?? "";
  if (pointer.endsWith("/shipping_address/name")) return labelOf("address_name");
  const field = labels[name] ?? (ownLabels.includes(name) ? (name as FieldName) : undefined);
  return field === undefined ? name : labelOf(field);
}

/** The record of a row, and sentences about the values that cannot be read, by the label of their field. */
function read(plan: Plan, headers: readonly string[], { cells }: Row) {
  const errors = new Map<string, string>();
  const at = (name: FieldName): string => unguarded((cells[plan.mapping.indexOf(name)] ?? "").trim());
  const wrong = (name: FieldName, text: string): undefined => {
    errors.set(labelOf(name), text);
    return undefined;
  };
  const timeAt = (name: FieldName): string | undefined => {
    const text = at(name);
    if (text === "") return undefined;
    return timestampOf(text, plan.dates) ?? wrong(name, `${labelOf(name)}: “${text}” is not a date.`);
  };
  const email = at("email");
  if (email === "") wrong("email", "Email is missing.");
  if (cells.slice(headers.length).some((cell) => cell.trim() !== ""))
    errors.set("", "The row has more cells than there are columns.");
  const tier = at("tier");
  const tier_id = tierIdOf(plan, tier);
  if (tier_id === undefined) wrong("tier", tier === "" ? "Tier is missing." : `There is no tier “${tier}”.`);
  const word = at("status");
  const known = word === "" ? "active" : statusOf(word);
  if (known === undefined)
    wrong("status", `Status: “${word}” is unknown. Use active, trialing, past due, unpaid or canceled.`);
  const joined = timeAt("joined");
  if (joined !== undefined && joined > plan.at) wrong("joined", "Joined must not be in the future.");
  const [ends] = [timeAt("ends"), timeAt("ended")].filter((time) => time !== undefined).toSorted();
  const hasEnded = ends === undefined ? known === "canceled" : ends <= plan.at;
  const running = known === undefined || known === "canceled" ? "active" : known;
  const period = periodOf(plan.at, { from: timeAt("from"), until: timeAt("until"), ends });
  const dollars = at("spent_dollars");
  const spent = dollars === "" ? Number(at("spent_cents")) : centsOf(dollars);
  if (spent === undefined || Number.isNaN(spent)) wrong("spent_dollars", "Paid so far is not an amount in dollars.");
  const custom = plan.mapping.flatMap((name, n) => {
    const cell = unguarded((cells[n] ?? "").trim());
    const key = name === "custom" ? headers[n]?.trim() : name === "notes" ? name : undefined;
    return key === undefined || cell === "" ? [] : [[key, cell] as const];
  });
  const [twice] = custom.find(([key], n) => custom.findIndex(([other]) => other === key) < n) ?? [];
  if (twice !== undefined) errors.set(twice, `There are two values for “${twice}”.`);
  const shipping_address = addressOf(at);
  if (shipping_address && !/^[A-Z]{2}$/.test(shipping_address.country))
    wrong("country", at("country") === "" ? "Country is missing." : `There is no country “${at("country")}”.`);
  const [customer, subscription] = [at("stripe_customer_id"), at("stripe_subscription_id")];
  const record = {
    user: { email, ...namesOf(at), username: at("username") },
    tier_id: tier_id ?? 1,
    status: hasEnded ? ("canceled" as const) : running,
    created_at: joined ?? plan.at,
    ...period,
    cancel_at: hasEnded ? null : (ends ?? null),
    ended_at: hasEnded ? earlierOf(ends ?? period.current_period_end, plan.at) : null,
    shipping_address,
    lifetime_spend_cents: spent ?? 0,
    metadata: Object.fromEntries(custom),
    ...(customer !== "" && { stripe_customer_id: customer }),
    ...(subscription !== "" && { stripe_subscription_id: subscription }),
  };
  return { record, errors };
}

const earlierOf = (one: string, other: string): string => (one < other ? one : other);

type Times = {
  readonly from: string | undefined;
  readonly until: string | undefined;
  readonly ends: string | undefined;
};

/** The billing period. Without its start or its end, it lasts a month. Without both, it begins with the import. */
function periodOf(at: string, { from, until, ends }: Times) {
  const end = until ?? ends ?? monthsAfter(from ?? at, 1);
  return { current_period_start: from ?? ((until ?? ends) ? monthsAfter(end, -1) : at), current_period_end: end };
}

function monthsAfter(timestamp: string, months: number): string {
  const time = new Date(timestamp);
  const day = time.getUTCDate();
  time.setUTCMonth(time.getUTCMonth() + months);
  // A day that the month lacks became one of the next month.
  if (time.getUTCDate() !== day) time.setUTCDate(0);
  return time.toISOString();
}

/** First and last name. A full name is split before its last word. */
function namesOf(at: (name: FieldName) => string) {
  const words = at("name").split(/\s+/);
  const [first, last] = [at("first_name"), at("last_name")];
  if (first !== "" || last !== "" || words.length === 1)
    return { first_name: first || (words[0] ?? ""), last_name: last };
  return { first_name: words.slice(0, -1).join(" "), last_name: words.at(-1) ?? "" };
}

function addressOf(at: (name: FieldName) => string) {
  const line1 = at("line1");
  if (line1 === "") return null;
  const [name, line2, city, state] = [at("address_name"), at("line2"), at("city"), at("state")];
  const [postal_code, country, phone] = [at("postal_code"), countryCodeOf(at("country")), at("phone")];
  return { name, line1, line2, city, state, postal_code, country, phone };
}
