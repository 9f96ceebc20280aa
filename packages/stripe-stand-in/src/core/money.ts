/** Formats an amount in the smallest unit of its currency: `$25.00`, `¥2,500`. */
export function money(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0));
}
