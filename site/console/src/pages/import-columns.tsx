import { useMemo } from "preact/hooks";
import {
  type FieldName,
  fieldNames,
  type ImportField,
  importFields,
  isRepeated,
  recognize,
  remap,
} from "../data/import/fields.ts";
import { nameTier, type Plan, questionsOf, rowsOf, tierIdOf } from "../data/import/plan.ts";
import type { DateOrder } from "../data/import/values.ts";
import { FieldInput } from "../parts/field.tsx";
import { Card } from "../parts/page.tsx";

type Props = { readonly plan: Plan; readonly isAdmin: boolean; readonly onChange: (plan: Plan) => void };

/** The columns of a file and the fields that they have, and what the file leaves open. */
export function ImportColumns({ plan, isAdmin, onChange }: Props) {
  const { headers, rows } = useMemo(() => rowsOf(plan), [plan.text]);
  const questions = useMemo(() => questionsOf(plan, rows), [plan, rows]);
  const active = plan.tiers.filter(({ status }) => status === "active");
  const tierChoices = [
    { value: "", label: "Choose a tier" },
    ...active.map(({ id, name }) => ({ value: String(id), label: name })),
  ];
  const choices = [
    { value: "", label: "Not imported" },
    ...fieldNames(isAdmin).map((name) => ({ value: name, label: importFields[name].label })),
  ];
  const samples = (column: number): string =>
    [...new Set(rows.slice(0, 20).map(({ cells }) => cells[column]?.trim() ?? ""))]
      .filter(Boolean)
      .slice(0, 3)
      .join(", ");
  const refused = recognize(headers, true);
  return (
    <>
      {(questions.hasNoTier || questions.tiers.length > 0 || questions.isOrderOpen) && (
        <Card title="What the file leaves open">
          <div class="columns even">
            {questions.hasNoTier && (
              <FieldInput
                name="tier"
                label={plan.mapping.includes("tier") ? "Tier of rows without a tier" : "Tier of everybody"}
                kind="select"
                choices={tierChoices}
                value={plan.tierId === null ? "" : String(plan.tierId)}
                onChange={(value) => onChange({ ...plan, tierId: value === "" ? null : Number(value) })}
              />
            )}
            {questions.tiers.map((text) => (
              <FieldInput
                key={text}
                name={`tier-${text}`}
                label={`Tier for “${text}”`}
                kind="select"
                choices={tierChoices}
                value={String(tierIdOf(plan, text) ?? "")}
                onChange={(value) => onChange(nameTier(plan, text, value === "" ? undefined : Number(value)))}
              />
            ))}
            {questions.isOrderOpen && (
              <FieldInput
                name="dates"
                label="How dates are written"
                kind="select"
                choices={[
                  { value: "day", label: "Day first: 31/12/2026" },
                  { value: "month", label: "Month first: 12/31/2026" },
                ]}
                value={plan.dates}
                onChange={(value) => onChange({ ...plan, dates: value as DateOrder })}
              />
            )}
          </div>
        </Card>
      )}
      <Card title="Match the columns">
        <ul class="rows">
          {headers.map((header, n) => {
            const name = plan.mapping[n] ?? "";
            const isForAdmins = name === "" && refused[n] !== "" && refused[n]?.startsWith("stripe_") && !isAdmin;
            const isLeftOut = name === "" && isRepeated(headers, n);
            const repeated = isLeftOut ? "Another column has the same name. Check which of them to import." : undefined;
            const hint = isForAdmins ? "Only an admin can import this." : (repeated ?? hintOf(name));
            return (
              <li key={`${n}-${header}`} class="row matched">
                <FieldInput
                  name={`column-${n}`}
                  label={header.trim() || `Column ${n + 1}`}
                  kind="select"
                  choices={choices}
                  hint={hint}
                  value={name}
                  onChange={(value) => onChange({ ...plan, mapping: remap(plan.mapping, n, value as FieldName | "") })}
                />
                <p class="muted sample">{samples(n) || "Empty in the first rows"}</p>
              </li>
            );
          })}
        </ul>
      </Card>
    </>
  );
}

const hintOf = (name: FieldName | ""): string | undefined =>
  name === "" ? undefined : (importFields[name] as ImportField).hint;
