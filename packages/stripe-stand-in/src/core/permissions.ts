import type { Account } from "./account.ts";
import { invalid } from "./failure.ts";

/** Resources for which a restricted key can have read or write permission. Write permission includes read permission. */
export const resources = [
  "accounts_kyc_basic",
  "charges",
  "checkout_sessions",
  "coupons",
  "customers",
  "disputes",
  "billing_portal",
  "events",
  "invoices",
  "payment_methods",
  "prices",
  "products",
  "refunds",
  "subscription_schedules",
  "subscriptions",
  "webhook_endpoints",
] as const;

type Resource = (typeof resources)[number];

/** Resources whose names differ from the path, by path prefix. */
const byPath: readonly (readonly [string, Resource])[] = [
  ["account", "accounts_kyc_basic"],
  ["checkout/sessions", "checkout_sessions"],
  ["billing_portal", "billing_portal"],
  ["invoice_payments", "invoices"],
  ["invoiceitems", "invoices"],
  ["payment_intents", "charges"],
];

/** Resources by the last part of an expanded object's path. Other objects belong to the resource that contains them. */
const byExpansion: Readonly<Record<string, Resource>> = {
  customer: "customers",
  charge: "charges",
  coupon: "coupons",
  default_payment_method: "payment_methods",
  invoice: "invoices",
  latest_charge: "charges",
  latest_invoice: "invoices",
  payments: "invoices",
  price: "prices",
  product: "products",
  refunds: "refunds",
  schedule: "subscription_schedules",
  subscription: "subscriptions",
};

/**
 * Checks the permissions of a key. Keys that were not made by `POST /_fake/keys` may do everything.
 *
 * @throws ApiFailure 403 for a restricted key that lacks one
 */
export function authorize(
  account: Account,
  key: string,
  { method, path, expand }: { method: string; path: string; expand: readonly string[] },
): void {
  const restricted = account.get("restricted_key", key);
  if (!restricted) return;
  const name = path.replace(/^\/v1\//, "");
  const [segment = ""] = name.split("/");
  const resource = byPath.find(([start]) => name.startsWith(start))?.[1] ?? segment;
  const needed = [
    `${resource}:${method === "GET" ? "read" : "write"}`,
    ...expand.flatMap((place) => {
      const expanded = byExpansion[place.split(".").at(-1) ?? ""];
      return expanded === undefined ? [] : [`${expanded}:read`];
    }),
  ];
  for (const permission of needed) {
    const [what = "", access = ""] = permission.split(":");
    if (restricted.permissions.some((own) => own === permission || own === `${what}:write`)) continue;
    const rak = `rak_${what.replace(/s$/, "")}_${access}`;
    throw invalid(
      `The provided key '${key.slice(0, 8)}***' does not have the required permissions for this endpoint on account '${account.id}'. Having the '${rak}' permission would allow this request to continue.`,
      {},
      403,
    );
  }
}
