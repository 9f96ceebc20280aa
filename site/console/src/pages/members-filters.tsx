import { statusTexts } from "../data/member-words.ts";
import type { Tier } from "../data/odis.ts";
import { SearchField } from "../parts/search-field.tsx";

export type Filters = {
  readonly query?: string | undefined;
  readonly status?: string | undefined;
  readonly tier_id?: string | undefined;
  readonly is_blocked?: string | undefined;
  /** Members with access whose tier ships: `missing` those without an address, `ready` those with one. */
  readonly parcels?: string | undefined;
};

/** The filters that an address names. */
export const filtersOf = (query: URLSearchParams): Filters => ({
  query: query.get("query")?.slice(0, 64) || undefined,
  status: Object.keys(statusTexts).find((status) => status === query.get("status")),
  tier_id: /^\d{1,16}$/.test(query.get("tier_id") ?? "") ? (query.get("tier_id") ?? undefined) : undefined,
  is_blocked: ["true", "false"].find((value) => value === query.get("is_blocked")),
  parcels: ["missing", "ready"].find((value) => value === query.get("parcels")),
});

/** The query parameters of the list for the filters. */
export const queryOf = ({ parcels, ...filters }: Filters): Record<string, string | undefined> => ({
  ...filters,
  ...(parcels !== undefined && {
    access: "true",
    requires_shipping_address: "true",
    has_shipping_address: String(parcels === "ready"),
  }),
});

/** Whether the members of a tier get parcels. */
export const isShipped = ({ requires_shipping_address }: Tier): boolean => requires_shipping_address;

type BarProps = {
  readonly tiers: readonly Tier[];
  readonly filters: Filters;
  readonly onChange: (changed: Filters) => void;
};

export function FilterBar({ tiers, filters, onChange }: BarProps) {
  return (
    <search class="filters">
      <SearchField
        placeholder="Name or email"
        maxLength={64}
        value={filters.query ?? ""}
        onSearch={(query) => onChange({ query: query || undefined })}
      />
      <Choice
        label="Status"
        value={filters.status}
        choices={Object.entries(statusTexts)}
        onChange={(status) => onChange({ status })}
      />
      <Choice
        label="Tier"
        value={filters.tier_id}
        choices={tiers.map(({ id, name }) => [String(id), name])}
        onChange={(tier_id) => onChange({ tier_id })}
      />
      <Choice
        label="Blocked"
        value={filters.is_blocked}
        choices={[
          ["true", "Yes"],
          ["false", "No"],
        ]}
        onChange={(is_blocked) => onChange({ is_blocked })}
      />
      {tiers.some(isShipped) && (
        <Choice
          label="Parcels"
          value={filters.parcels}
          choices={[
            ["missing", "No address"],
            ["ready", "Ready to ship"],
          ]}
          onChange={(parcels) => onChange({ parcels })}
        />
      )}
    </search>
  );
}

type ChoiceProps = {
  readonly label: string;
  readonly value: string | undefined;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string | undefined) => void;
};

function Choice({ label, value = "", choices, onChange }: ChoiceProps) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}>
        <option value="">All</option>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
