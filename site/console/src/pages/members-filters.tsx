import { useState } from "preact/hooks";
import { type GroupName, groupNames, groups, readGroup } from "../data/member-groups.ts";
import { statusTexts } from "../data/member-words.ts";
import type { Tier } from "../data/odis.ts";
import { useLoad } from "../data/use-load.ts";
import { numberOf } from "../format.ts";
import { SearchField } from "../parts/search-field.tsx";
import { useOdis } from "../session.tsx";

export type Filters = {
  readonly query?: string | undefined;
  readonly status?: string | undefined;
  readonly tier_id?: string | undefined;
  readonly is_blocked?: string | undefined;
  readonly group?: GroupName | undefined;
  readonly sort?: string | undefined;
};

/** The filters that an address names. */
export const filtersOf = (query: URLSearchParams): Filters => ({
  query: query.get("query")?.slice(0, 64) || undefined,
  status: Object.keys(statusTexts).find((status) => status === query.get("status")),
  tier_id: /^\d{1,16}$/.test(query.get("tier_id") ?? "") ? (query.get("tier_id") ?? undefined) : undefined,
  is_blocked: ["true", "false"].find((value) => value === query.get("is_blocked")),
  group: groupNames.find((name) => name === query.get("group")),
  sort: query.get("sort") === "created_at" ? "created_at" : undefined,
});

/** The query parameters of the list for the filters. */
export const queryOf = ({ group, sort, ...filters }: Filters): Record<string, string | undefined> => ({
  ...filters,
  // A search has an order of its own.
  ...(filters.query === undefined && { sort }),
  ...(group !== undefined &&
    Object.fromEntries(Object.entries(groups[group].filters).map(([name, value]) => [name, String(value)]))),
});

/** Whether the members of a tier get parcels. */
export const isShipped = ({ requires_shipping_address }: Tier): boolean => requires_shipping_address;

type BarProps = {
  readonly tiers: readonly Tier[];
  readonly filters: Filters;
  readonly onChange: (changed: Filters) => void;
};

export function FilterBar({ tiers, filters, onChange }: BarProps) {
  const [isOpen, setIsOpen] = useState(
    [filters.status, filters.tier_id, filters.is_blocked, filters.sort].some(Boolean),
  );
  return (
    <search class={`filters${isOpen ? " open" : ""}`}>
      <SearchField
        placeholder="Name or email"
        maxLength={64}
        value={filters.query ?? ""}
        onSearch={(query) => onChange({ query: query || undefined })}
      />
      {/* On a phone, the choices would push the list out of view. */}
      <button type="button" class="button narrow" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        Filters
      </button>
      <Choice
        label="Status"
        value={filters.status}
        choices={Object.entries(statusTexts)}
        onChange={(status) => onChange({ status, group: undefined })}
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
      {filters.query === undefined && (
        <Choice
          label="Sort by"
          all="Newest first"
          value={filters.sort}
          choices={[["created_at", "Oldest first"]]}
          onChange={(sort) => onChange({ sort })}
        />
      )}
    </search>
  );
}

type GroupChipsProps = BarProps & { readonly communityId: number };

/** Groups of members with their numbers. One of them can be chosen. */
export function GroupChips({ communityId, tiers, filters, onChange }: GroupChipsProps) {
  const odis = useOdis();
  const hasParcels = tiers.some(isShipped);
  const names = groupNames.filter((name) => hasParcels || (name !== "no_address" && name !== "ready"));
  const { data: counts } = useLoad(
    (signal) =>
      Promise.all(
        names.map(async (name) => {
          const group = await readGroup(odis, communityId, name, { signal, per: isCounted(name) ? 1 : 100 });
          return [name, `${numberOf(group.count)}${group.isMore ? "+" : ""}`] as const;
        }),
      ).then((all) => new Map<GroupName, string>(all)),
    [communityId, hasParcels],
  );
  return (
    <ul class="group-chips" aria-label="Groups">
      {names.map((name) => (
        <li key={name}>
          <button
            type="button"
            class="group-chip"
            aria-pressed={filters.group === name}
            onClick={() => onChange({ group: filters.group === name ? undefined : name, status: undefined })}
          >
            {groups[name].text} <span class="number">{counts?.get(name) ?? ""}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Whether the API counts the members of a group, so that a page of one member has their number. */
const isCounted = (name: GroupName): boolean => name === "access" || name === "overdue" || name === "no_access";

type ChoiceProps = {
  readonly label: string;
  /** The choice without a value. */
  readonly all?: string;
  readonly value: string | undefined;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string | undefined) => void;
};

/** A filter with a few values. */
export function Choice({ label, all = "All", value = "", choices, onChange }: ChoiceProps) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}>
        <option value="">{all}</option>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
