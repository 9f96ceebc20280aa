/** The languages of the browser. They decide how dates, times and amounts are written. */
export const { languages } = navigator;

const dollars = new Intl.NumberFormat(languages, { style: "currency", currency: "USD" });
const roundDollars = new Intl.NumberFormat(languages, {
  style: "currency",
  currency: "USD",
  trailingZeroDisplay: "stripIfInteger",
});
const typedDollars = new Intl.NumberFormat(languages, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  useGrouping: false,
  numberingSystem: "latn",
});
const dates = new Intl.DateTimeFormat(languages, { day: "numeric", month: "long", year: "numeric" });
const shortDates = new Intl.DateTimeFormat(languages, { day: "numeric", month: "short", year: "numeric" });
const utcDates = new Intl.DateTimeFormat(languages, {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});
const timesOfYear = new Intl.DateTimeFormat(languages, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const times = new Intl.DateTimeFormat(languages, {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const months = new Intl.DateTimeFormat(languages, { month: "long", timeZone: "UTC" });
const numbers = new Intl.NumberFormat(languages);

/** `$1,200.50`, or `1.200,50 $` in German. */
export const moneyOf = (cents: number): string => dollars.format(cents / 100);

/** `$1,200`, or `$1,200.50` */
export const roundMoneyOf = (cents: number): string => roundDollars.format(cents / 100);

/** `$25 a month`, `$250 a year`, or `free`. */
export const priceFor = (amount: number, interval: "month" | "year"): string =>
  amount === 0 ? "free" : `${roundDollars.format(amount)} a ${interval}`;

/** `$25` a month, or `Free`. */
export const priceOf = (amount: number): string => (amount === 0 ? "Free" : priceFor(amount, "month"));

/** `$25 a month`, `$25 a month or $250 a year`, or `Free`. */
export const pricesText = ({ monthly_price_dollars, yearly_price_dollars }: Prices): string =>
  yearly_price_dollars === null
    ? priceOf(monthly_price_dollars)
    : `${priceOf(monthly_price_dollars)} or ${priceFor(yearly_price_dollars, "year")}`;

type Prices = { readonly monthly_price_dollars: number; readonly yearly_price_dollars: number | null };

/** `December 3, 2026`, or `3. Dezember 2026` in German. */
export const dateOf = (timestamp: string): string => dates.format(new Date(timestamp));

/** `Dec 3, 2026` */
export const shortDateOf = (timestamp: string): string => shortDates.format(new Date(timestamp));

/** `Dec 3, 2026`. The day in UTC. */
export const utcDateOf = (timestamp: string): string => utcDates.format(new Date(timestamp));

/** `Dec 3, 02:05 PM`, or `Dec 3, 2025, 02:05 PM` in another year. */
export function timeOf(timestamp: string): string {
  const time = new Date(timestamp);
  return (time.getFullYear() === new Date().getFullYear() ? timesOfYear : times).format(time);
}

/** `November`. The month in UTC. */
export const monthOf = (timestamp: string): string => months.format(new Date(timestamp));
export const numberOf = (count: number): string => numbers.format(count);

/** `1 member`, `1,200 members` */
export const countOf = (count: number, noun: string): string => `${numberOf(count)} ${noun}${count === 1 ? "" : "s"}`;

/**
 * Cents of an amount that a person typed: `12.50`, `12,50`, `$1,200`, `1.200,50 $`, or as in the browser's language. One or two
 * digits after the last separator are cents in every language. Without cents, separators must be those of thousands in the
 * browser's language. Undefined if it is not an amount in whole cents.
 */
export function centsOf(text: string): number | undefined {
  const plain = inLatin(text)
    .replaceAll(/[\s\u200E\u200F]|USD/g, "")
    .replace(/^(?:US)?\$|(?:US)?\$(?:US)?$/, "");
  const [, whole = "", decimal, cents = ""] = /^(\d.*?)(?:([.,])(\d{1,2}))?$/.exec(plain) ?? [];
  const digits = whole.replaceAll(/\D/g, "");
  const isGrouped =
    whole === grouped.format(Number(digits)) ||
    (decimal !== undefined && /^\d{1,3}([.,'’])\d{3}(?:\1\d{3})*$/.test(whole));
  if (!/^\d{1,9}$/.test(whole) && (!isGrouped || (decimal !== undefined && whole.includes(decimal)))) return undefined;
  return Number(digits) * 100 + Number(cents.padEnd(2, "0"));
}

const grouped = new Intl.NumberFormat(languages, { useGrouping: "always", numberingSystem: "latn" });
/** From 0 to 9. */
const ownDigits = Array.from(
  new Intl.NumberFormat(languages, { minimumIntegerDigits: 10, useGrouping: false }).format(123_456_789),
);

/** Replaces the digits of the browser's language, and the Arabic separators. */
const inLatin = (text: string): string =>
  text
    .replaceAll("٬", ",")
    .replaceAll("٫", ".")
    .replaceAll(/\p{Nd}/gu, (digit) => (ownDigits.includes(digit) ? `${ownDigits.indexOf(digit)}` : digit));

/** An amount as a person types it: `12.50`, or `12,50` in German. */
export const amountOf = (cents: number): string => typedDollars.format(cents / 100);

type Named = {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly username: string;
};

/** First and last name, or the email address of a person without a name, or the username of a person without either. */
export const nameOf = (person: Named): string =>
  [person.first_name, person.last_name].filter(Boolean).join(" ") ||
  person.email ||
  (isErasedPerson(person) ? "Erased person" : person.username);

/** Whether a person was erased. Others may have no address either: that of their account belongs to another profile. */
export const isErasedPerson = ({ email, username }: Pick<Named, "email" | "username">): boolean =>
  email === "" && username === "erased";

/** How a sentence about a person begins. */
export const firstNameOf = ({ first_name }: Named): string => first_name || "The member";

type Card = { readonly type: string; readonly brand: string | null; readonly last4: string | null };

/** `Visa ending in 4242` */
export function cardNameOf({ type, brand, last4 }: Card): string {
  const name = brand ?? type;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}${last4 ? ` ending in ${last4}` : ""}`;
}

/** An email address in a `mailto:` link (RFC 6068). Its "@" stays as it is. */
export const mailAddress = (email: string): string => encodeURIComponent(email).replace("%40", "@");
