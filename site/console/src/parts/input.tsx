import type { ComponentChildren } from "preact";
import type { FieldProps } from "./field.tsx";

/** The attributes that tie an input to its label, its hint and its error. */
export type Described = { readonly id: string; readonly "aria-describedby"?: string; readonly "aria-invalid"?: "true" };

/** Radio buttons or checkboxes. */
export function Choices({ kind, name, value, choices = [], onChange }: FieldProps): ComponentChildren {
  const chosen = Array.isArray(value) ? (value as readonly string[]) : [value];
  return choices.map((choice) => (
    <label key={choice.value} class="choice">
      <input
        type={kind === "radio" ? "radio" : "checkbox"}
        name={name}
        value={choice.value}
        checked={chosen.includes(choice.value)}
        onChange={({ currentTarget: { checked } }) => {
          if (kind === "radio") return onChange(choice.value);
          const others = chosen.filter((one) => one !== choice.value) as string[];
          onChange(checked ? [...others, choice.value] : others);
        }}
      />
      <span>
        {choice.label}
        {choice.hint && <span class="choice-hint">{choice.hint}</span>}
      </span>
    </label>
  ));
}

/** The input type of a kind of field. The cast is needed because the package's types do not accept a union of input types. */
const typeOf = (kind: string): "text" => (["email", "password", "url"].includes(kind) ? kind : "text") as "text";

const modes = { money: "decimal", number: "numeric", code: "numeric" } as const;

/** The input of a field that takes a text or one of several choices. */
export function Input({ field, described }: { readonly field: FieldProps; readonly described: Described }) {
  const { kind = "text", name, choices = [], autocomplete = "off", maxLength, isOptional, onChange } = field;
  const value = typeof field.value === "string" ? field.value : "";
  const shared = { ...described, name, value, required: !isOptional };
  if (kind === "long")
    return (
      <textarea
        {...shared}
        rows={4}
        maxLength={maxLength}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  if (kind === "select")
    return (
      <select {...shared} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    );
  const input = (
    <input
      {...shared}
      type={typeOf(kind)}
      inputMode={kind in modes ? modes[kind as keyof typeof modes] : undefined}
      autoComplete={autocomplete}
      maxLength={maxLength}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
  return kind === "money" ? (
    <span class="money">
      <span aria-hidden="true">$</span>
      {input}
    </span>
  ) : (
    input
  );
}
