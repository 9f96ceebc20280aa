import { countryChoices } from "../countries.ts";

/** Whether `03/04/2026` is the third of April or the fourth of March. */
export type DateOrder = "day" | "month";

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Forms of a date at the start of a text, with the order of year, month and day in each. */
const forms = (order: DateOrder) =>
  [
    { form: /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?=\D|$)/, parts: [1, 2, 3] },
    { form: /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?=\D|$)/, parts: order === "day" ? [3, 2, 1] : [3, 1, 2] },
    { form: /^(\d{1,2})\.? ([A-Za-z]{3,})\.?,? (\d{4})/, parts: [3, 2, 1] },
    { form: /^([A-Za-z]{3,})\.? (\d{1,2}),? (\d{4})/, parts: [3, 1, 2] },
  ] as const;

const timeForm =
  /^(?:[T, ]\s*)?(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*([ap]m)?\s*(?:z|utc|gmt|([+-])(\d\d):?(\d\d))?$/i;

/** A date, with or without a time, as a timestamp. Without a time zone, it is in UTC. Undefined if it does not exist. */
export function timestampOf(text: string, order: DateOrder): string | undefined {
  for (const { form, parts } of forms(order)) {
    const found = form.exec(text);
    if (!found) continue;
    const [year = 0, month = 0, day = 0] = parts.map((part) => numberIn(found[part] ?? ""));
    const date = new Date(Date.UTC(year, month - 1, day));
    const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
    const time = timeIn(text.slice(found[0].length));
    return exists && time !== undefined ? new Date(date.getTime() + time).toISOString() : undefined;
  }
  return undefined;
}

const numberIn = (text: string): number =>
  /^\d/.test(text) ? Number(text) : monthNames.indexOf(text.slice(0, 3).toLowerCase()) + 1;

/** Milliseconds after midnight in UTC. */
function timeIn(text: string): number | undefined {
  if (text === "") return 0;
  const found = timeForm.exec(text);
  if (!found) return undefined;
  const [hour, minute, second, zoneHours, zoneMinutes] = [1, 2, 3, 6, 7].map((n) => Number(found[n] ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const half = found[4]?.toLowerCase();
  const hours = half === undefined ? hour : (hour % 12) + (half === "pm" ? 12 : 0);
  if (hours > 23 || minute > 59 || second > 59) return undefined;
  const zone = (zoneHours * 60 + zoneMinutes) * (found[5] === "-" ? -1 : 1);
  return ((hours * 60 + minute - zone) * 60 + second) * 1000;
}

/** The order of the dates that have a day after the twelfth. Undefined if the texts leave it open. */
export function orderIn(texts: readonly string[]): DateOrder | undefined {
  for (const text of texts) {
    const [, first, second] = /^(\d{1,2})[-/.](\d{1,2})[-/.]\d{4}(?=\D|$)/.exec(text) ?? [];
    if (Number(first) > 12) return "day";
    if (Number(second) > 12) return "month";
  }
  return undefined;
}

/** Whether a text is a date that depends on the order. */
export const hasOrder = (text: string): boolean => /^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}/.test(text);

const statuses = {
  active: "active activepatron paid paying yes current",
  trialing: "trialing trial freetrial",
  past_due: "pastdue declined declinedpatron overdue paymentfailed",
  unpaid: "unpaid",
  canceled: "canceled cancelled former formerpatron expired ended inactive no",
  incomplete: "incomplete pending",
} as const;

/** A status of the API from the words of other systems. */
export function statusOf(text: string): keyof typeof statuses | undefined {
  const word = text.toLowerCase().replaceAll(/[^a-z]/g, "");
  const found = Object.entries(statuses).find(([, words]) => words.split(" ").includes(word));
  return found?.[0] as keyof typeof statuses | undefined;
}

/** The code of a country from its code or its English name. The text itself if there is no such country. */
export function countryCodeOf(text: string): string {
  const upper = text.toUpperCase();
  const common: Readonly<Record<string, string>> = { USA: "US", UK: "GB", "UNITED STATES OF AMERICA": "US" };
  return common[upper] ?? countryChoices.find(({ label }) => label.toUpperCase() === upper)?.value ?? upper;
}
