import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rolesWith } from "#lib/auth/rights.ts";
import { type Permission, permissions } from "#lib/billing/permissions.ts";
import { eventSummaries } from "#lib/contract/event-docs.ts";
import { routes } from "#lib/contract/index.ts";
import { command, run } from "../command.ts";
import { queryTable, queryTables, recordTable, recordTables } from "./field-table.ts";
import { refusalTables } from "./refusal-table.ts";

const root = join(import.meta.dirname, "../..");

const callers = {
  public: "anybody",
  optional: "anybody",
  user: "any user",
  owner: "owner, admin",
  editor: "editor, admin",
  admin: "admin",
} as const;

/** A generated table between the markers `<!-- name -->` and `<!-- /name -->` in a file of `docs`. */
type Table = { readonly file: string; readonly name: string; readonly make: () => string };

const tables: readonly Table[] = [
  { file: "docs/routes.md", name: "routes", make: routeTable },
  { file: "docs/api.md", name: "events", make: eventTable },
  { file: "docs/api.md", name: "refusals", make: refusalTables },
  ...Object.keys(recordTables).map((name) => ({
    file: "docs/api.md",
    name: `fields of ${name}`,
    make: () => recordTable(name),
  })),
  ...queryTables.map((id) => ({ file: "docs/api.md", name: `query of ${id}`, make: () => queryTable(id) })),
  { file: "docs/operations.md", name: "permissions", make: permissionTable },
];

/** Each document with generated tables: the current text and the expected text. */
export function documents() {
  return Promise.all(
    [...new Set(tables.map(({ file }) => file))].map(async (file) => {
      const current = await readFile(join(root, file), "utf8");
      const own = tables.filter((table) => table.file === file);
      const expected = own.reduce((text, { name, make }) => withPart(file, text, name, make()), current);
      return { file, current, expected };
    }),
  );
}

function routeTable(): string {
  const rows = routes
    .filter(({ path }) => path !== "$default")
    .map(({ method, path, summary, access, right, orSelf, area, file: name }) => {
      const source = `../functions/${area}/${name}.ts`;
      return `| ${method} | \`${path}\` | ${summary} | ${[callers[access], ...(right ? rolesWith(right) : []), ...(orSelf ? ["self"] : [])].join(", ")} | [${area}/${name}](${source}) |`;
    });
  return ["| | path | what it does | callers | function |", "|---|---|---|---|---|", ...rows].join("\n");
}

function eventTable(): string {
  const rows = Object.entries(eventSummaries).map(([type, summary]) => `| \`${type}\` | ${summary} |`);
  return ["| event | when it is sent |", "|---|---|", ...rows].join("\n");
}

/** The requests to Stripe that need a permission. Write permissions are also needed to read. */
const requestsWith: Readonly<Record<Permission, string>> = {
  "billing_portal:write": "`POST /v1/billing_portal/sessions`, `POST /v1/billing_portal/configurations`",
  "charges:read": "`GET /v1/charges`",
  "checkout_sessions:write": "`POST /v1/checkout/sessions`",
  "coupons:read": "`GET /v1/coupons/:id`, as coupons are expanded",
  "customers:read": "`GET /v1/customers/:id`, as customers are expanded, `GET /v1/customers/:id/balance_transactions`",
  "customers:write": "`POST /v1/customers`, `DELETE /v1/customers/:id`, `POST /v1/customers/:id/balance_transactions`",
  "disputes:read": "`GET /v1/disputes`",
  "events:read": "`GET /v1/events`",
  "invoices:read": "`GET /v1/invoices`, `GET /v1/invoice_payments`",
  "invoices:write": "`POST /v1/invoices/:id`, `…/void`, `…/finalize`, `POST /v1/invoices/create_preview`",
  "payment_methods:read": "`GET /v1/payment_methods/:id`, as payment methods are expanded",
  "prices:write": "`POST /v1/prices`",
  "products:write": "`POST /v1/products`",
  "refunds:read": "`GET /v1/refunds`",
  "refunds:write": "`POST /v1/refunds`",
  "subscription_schedules:write": "`POST /v1/subscription_schedules`, `…/:id`, `…/:id/release`",
  "subscriptions:read": "`GET /v1/subscriptions`",
  "subscriptions:write": "`POST /v1/subscriptions/:id`, `DELETE /v1/subscriptions/:id`",
};

function permissionTable(): string {
  const has = (allowed: readonly string[], permission: string) => (allowed.includes(permission) ? "yes" : "");
  const all = [...new Set<Permission>([...permissions.write, ...permissions.read])].toSorted();
  const isImplied = (one: string) =>
    one.endsWith(":read") && all.some((other) => other === one.replace(":read", ":write"));
  const rows = all.map((one) => {
    const isWritten = isImplied(one) || has(permissions.write, one) !== "";
    return `| \`${one}\` | ${requestsWith[one]} | ${isWritten ? "yes" : ""} | ${has(permissions.read, one)} |`;
  });
  const head =
    "| permission | needed for | all functions | routes that only read (payment history, subscription details) |";
  return [head, "|---|---|---|---|", ...rows].join("\n");
}

/** @throws Error if the text does not have the markers */
function withPart(file: string, text: string, name: string, part: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no ${start} … ${end}`);
  return `${text.slice(0, from)}${start}\n${part}\n${text.slice(to)}`;
}

/** Replaces the text between the markers `name` in a file. The path is relative to the repository. */
export async function writePart(file: string, name: string, part: string): Promise<void> {
  const path = join(root, file);
  await writeFile(path, withPart(file, await readFile(path, "utf8"), name, part));
}

if (import.meta.main) {
  const program = command(
    "npm run docs",
    "Generates the tables of routes, fields, events, refusals and permissions in docs/ from the code.",
  );
  await run(
    program.action(async () => {
      for (const { file, expected } of await documents()) await writeFile(join(root, file), expected);
    }),
  );
}
