import { useState } from "preact/hooks";

/** The first and the last day of a list, in UTC. */
export type Days = { readonly from?: string | undefined; readonly to?: string | undefined };

/** The days that an address names. A last day before the first one is left out. */
export function daysOf(query: URLSearchParams): Days {
  const [from, to] = ["from", "to"].map((name) => {
    const day = query.get(name);
    return day !== null && /^[12]\d{3}-\d\d-\d\d$/.test(day) && Date.parse(day) ? day : undefined;
  });
  return { from, to: from && to && to < from ? undefined : to };
}

type FieldsProps = { readonly days: Days; readonly onChange: (changed: Days) => void };

/** Filters by the first and the last day, in UTC. */
export function DayFields({ days: { from, to }, onChange }: FieldsProps) {
  return (
    <>
      <DayField label="From" value={from} max={to} onChange={(day) => onChange({ from: day })} />
      <DayField label="To" value={to} min={from} onChange={(day) => onChange({ to: day })} />
    </>
  );
}

type FieldProps = {
  readonly label: string;
  readonly value: string | undefined;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly onChange: (day: string | undefined) => void;
};

function DayField({ label, value = "", onChange, ...limits }: FieldProps) {
  const [typed, setTyped] = useState<string>();
  return (
    <label>
      <span>{label}</span>
      <input
        type="date"
        value={typed ?? value}
        {...limits}
        onChange={({ currentTarget: { value: day } }) => {
          // While the year 2026 is typed, the browser reports the years 2, 20 and 202.
          const isTyping = day !== "" && !/^[12]\d{3}-/.test(day);
          setTyped(isTyping ? day : undefined);
          if (!isTyping) onChange(day || undefined);
        }}
      />
    </label>
  );
}
