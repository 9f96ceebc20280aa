import { languages } from "../../format.ts";
import { type FieldName, importFields, type Mapping, recognize } from "./fields.ts";
import { type Row, readCsv } from "./read-csv.ts";
import { type DateOrder, hasOrder, orderIn } from "./values.ts";

type TierName = { readonly id: number; readonly name: string; readonly status: string };

/** How a file is imported. Everything that the records depend on, so that the same plan always makes the same records. */
export type Plan = {
  readonly text: string;
  readonly mapping: Mapping;
  /** The order of dates, unless they show it themselves. */
  readonly dates: DateOrder;
  readonly tiers: readonly TierName[];
  /** Tiers by the texts of the file that name none. */
  readonly tierIds: Readonly<Record<string, number | undefined>>;
  /** The tier of rows without one. */
  readonly tierId: number | null;
  /** Time at which the file was chosen, which the rows have that name no time. */
  readonly at: string;
};

/** Maximum length of a file, in characters, so that a browser can keep it. */
const mostCharacters = 2_000_000;

type Given = { readonly text: string; readonly tiers: readonly TierName[]; readonly isAdmin: boolean };

/** @throws Error if the text has no rows, or is too long */
export function planOf({ text, tiers, isAdmin }: Given): Plan {
  if (text.length > mostCharacters)
    throw new Error("This file is larger than 2 MB. Split it, and import the parts one after another.");
  const [header, ...rows] = readCsv(text);
  if (!header || rows.length === 0) throw new Error("There are no rows below the names of the columns.");
  const active = tiers.filter(({ status }) => status === "active");
  return {
    text,
    mapping: recognize(header.cells, isAdmin),
    dates: isMonthFirst() ? "month" : "day",
    tiers: tiers.map(({ id, name, status }) => ({ id, name, status })),
    tierIds: {},
    tierId: active.length === 1 ? (active[0]?.id ?? null) : null,
    at: new Date().toISOString(),
  };
}

/** Whether the month comes first in the dates of the browser's language. */
const isMonthFirst = (): boolean => new Intl.DateTimeFormat(languages).formatToParts(new Date(0))[0]?.type === "month";

/** The rows of a file below its header. */
export const rowsOf = ({ text }: Plan): { readonly headers: readonly string[]; readonly rows: readonly Row[] } => {
  const [header, ...rows] = readCsv(text);
  return { headers: header?.cells ?? [], rows };
};

const fold = (text: string): string => text.trim().toLowerCase();

/** The id of the tier that a cell names by its id or its name. */
export function tierIdOf({ tiers, tierIds, tierId }: Plan, cell: string): number | undefined {
  if (cell === "") return tierId ?? undefined;
  const byId = tiers.find(({ id }) => String(id) === cell);
  const [byName, another] = tiers.filter(({ name }) => fold(name) === fold(cell));
  return tierIds[fold(cell)] ?? byId?.id ?? (another ? undefined : byName?.id);
}

/** A plan in which a text of the file is the name of a tier. */
export const nameTier = (plan: Plan, cell: string, id: number | undefined): Plan => ({
  ...plan,
  tierIds: { ...plan.tierIds, [fold(cell)]: id },
});

/** What the person still has to decide about the values of a file. */
export type Questions = {
  /** Texts in the column of the tier that name no tier. */
  readonly tiers: readonly string[];
  /** Whether there are rows without a tier. */
  readonly hasNoTier: boolean;
  /** Whether all dates can be read in both orders. */
  readonly isOrderOpen: boolean;
};

const dated: readonly FieldName[] = ["joined", "from", "until", "ends", "ended"];

const datesIn = ({ mapping }: Plan, rows: readonly Row[]): readonly string[] =>
  mapping.flatMap((name, n) =>
    name !== "" && dated.includes(name) ? rows.map(({ cells }) => cells[n]?.trim() ?? "") : [],
  );

/** The order that the columns of dates show. Undefined if they leave it open. */
export const shownOrder = (plan: Plan, rows: readonly Row[]): DateOrder | undefined => orderIn(datesIn(plan, rows));

export function questionsOf(plan: Plan, rows: readonly Row[]): Questions {
  const column = plan.mapping.indexOf("tier");
  const named = new Map(rows.map(({ cells }) => [fold(cells[column] ?? ""), (cells[column] ?? "").trim()]));
  const unchosen = { ...plan, tierIds: {} };
  return {
    tiers: [...named.values()].filter((cell) => cell !== "" && tierIdOf(unchosen, cell) === undefined).slice(0, 50),
    hasNoTier: named.has(""),
    isOrderOpen: datesIn(plan, rows).some(hasOrder) && shownOrder(plan, rows) === undefined,
  };
}

export const labelOf = (name: FieldName): string => importFields[name].label;
