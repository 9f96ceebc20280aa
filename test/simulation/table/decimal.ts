import { invalid } from "./failure.ts";

/** A number with DynamoDB's precision: up to 38 digits, and a power of ten. */
type Decimal = { readonly digits: bigint; readonly exponent: number };

const plainInteger = /^(0|-?[1-9]\d{0,14})$/;
const number = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/**
 * Returns DynamoDB's canonical form of a number.
 * @throws TableFailure for text that is not a number, or has more than 38 digits or too large an exponent
 */
export function canonical(text: string): string {
  return plainInteger.test(text) ? text : format(parse(text));
}

export function compareNumbers(a: string, b: string): number {
  if (plainInteger.test(a) && plainInteger.test(b)) return Math.sign(Number(a) - Number(b));
  const [left, right] = aligned(parse(a), parse(b));
  return left < right ? -1 : left > right ? 1 : 0;
}

export function add(a: string, b: string): string {
  if (plainInteger.test(a) && plainInteger.test(b)) {
    const sum = Number(a) + Number(b);
    if (Number.isSafeInteger(sum)) return String(sum);
  }
  const [x, y] = [parse(a), parse(b)];
  const [left, right] = aligned(x, y);
  return format(checked(normalized({ digits: left + right, exponent: Math.min(x.exponent, y.exponent) })));
}

export const negated = (text: string): string =>
  text === "0" ? text : text.startsWith("-") ? text.slice(1) : `-${text}`;

function parse(text: string): Decimal {
  const [, sign = "", whole = "", fraction = "", power = "0"] = number.exec(text) ?? [];
  if (whole === "" && fraction === "") throw invalid(`The parameter cannot be converted to a numeric value: ${text}`);
  const digits = BigInt(`${whole}${fraction}`);
  const exponent = Number(power) - fraction.length;
  return checked(normalized({ digits: sign === "-" ? -digits : digits, exponent }));
}

function normalized({ digits, exponent }: Decimal): Decimal {
  if (digits === 0n) return { digits, exponent: 0 };
  let [left, power] = [digits, exponent];
  while (left % 10n === 0n) [left, power] = [left / 10n, power + 1];
  return { digits: left, exponent: power };
}

function checked(decimal: Decimal): Decimal {
  const length = magnitude(decimal).length;
  if (length > 38) throw invalid("Attempting to store more than 38 significant digits in a Number");
  const leading = decimal.exponent + length - 1;
  if (leading > 125)
    throw invalid("Number overflow. Attempting to store a number with magnitude larger than supported range");
  if (decimal.digits !== 0n && leading < -130)
    throw invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range");
  return decimal;
}

const magnitude = ({ digits }: Decimal): string => String(digits < 0n ? -digits : digits);

const aligned = (a: Decimal, b: Decimal): [bigint, bigint] => {
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (one: Decimal) => one.digits * 10n ** BigInt(one.exponent - exponent);
  return [scaled(a), scaled(b)];
};

function format(decimal: Decimal): string {
  const { digits, exponent } = decimal;
  const sign = digits < 0n ? "-" : "";
  const text = magnitude(decimal);
  if (exponent >= 0) return `${sign}${text}${"0".repeat(exponent)}`;
  const padded = text.padStart(1 - exponent, "0");
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}
