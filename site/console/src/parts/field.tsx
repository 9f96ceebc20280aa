import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { EventChoices } from "./event-choices.tsx";

export type Value = string | boolean | readonly string[];

type Choice = { readonly value: string; readonly label: string; readonly hint?: string | undefined };

/** A field of a form. Its value is a text, for `checkbox` a boolean, and for `checkboxes` and `events` the chosen values. */
export type Field = {
  readonly name: string;
  readonly label: string;
  readonly kind?:
    | "text"
    | "email"
    | "password"
    | "code"
    | "money"
    | "number"
    | "url"
    | "time"
    | "long"
    | "select"
    | "radio"
    | "checkbox"
    | "checkboxes"
    | "events";
  readonly hint?: string | undefined;
  readonly choices?: readonly Choice[];
  readonly isOptional?: boolean;
  readonly autocomplete?: string;
};

export type FieldProps = Field & {
  readonly value: Value;
  readonly error?: string | undefined;
  readonly onChange: (value: Value) => void;
};

/** A field with its label, its hint and its error. */
export function FieldInput(field: FieldProps) {
  const id = useId();
  const { kind = "text", label, hint, error, isOptional } = field;
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  const described: Described = {
    id,
    ...(describedBy && { "aria-describedby": describedBy }),
    ...(error && { "aria-invalid": "true" }),
  };
  const below = (
    <>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </>
  );
  if (kind === "radio" || kind === "checkboxes" || kind === "events")
    return (
      <fieldset class="field choices" aria-describedby={described["aria-describedby"]} id={id} tabIndex={-1}>
        <legend>{label}</legend>
        {kind === "events" ? (
          <EventChoices value={chosenOf(field)} onChange={field.onChange} />
        ) : (
          <Choices {...field} />
        )}
        {below}
      </fieldset>
    );
  if (kind === "checkbox")
    return (
      <div class="field">
        <label class="choice">
          <input
            {...described}
            type="checkbox"
            checked={field.value === true}
            onChange={({ currentTarget }) => field.onChange(currentTarget.checked)}
          />
          <span>{label}</span>
        </label>
        {below}
      </div>
    );
  return (
    <div class="field">
      <label for={id}>
        {label} {isOptional && <span class="optional">Optional</span>}
      </label>
      <Input field={field} described={described} />
      {below}
    </div>
  );
}

/** The attributes that tie an input to its label, its hint and its error. */
type Described = { readonly id: string; readonly "aria-describedby"?: string; readonly "aria-invalid"?: "true" };

const chosenOf = ({ value }: FieldProps): readonly string[] => (typeof value === "object" ? value : [String(value)]);

/** Radio buttons or checkboxes. */
function Choices(field: FieldProps): ComponentChildren {
  const { kind, name, choices = [], onChange } = field;
  const chosen = chosenOf(field);
  return choices.map((choice) => (
    <label key={choice.value} class="choice">
      <input
        type={kind === "radio" ? "radio" : "checkbox"}
        name={name}
        value={choice.value}
        checked={chosen.includes(choice.value)}
        onChange={({ currentTarget: { checked } }) => {
          if (kind === "radio") return onChange(choice.value);
          const others = chosen.filter((one) => one !== choice.value);
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

/** The package's types have one alternative per input type, and none for an arbitrary input type. */
const typeOf = (kind: string): "text" =>
  (kind === "time" ? "datetime-local" : ["email", "password", "url"].includes(kind) ? kind : "text") as "text";

const modes = { money: "decimal", number: "numeric", code: "numeric" } as const;

/** The input of a field that takes a text or one of several choices. */
function Input({ field, described }: { readonly field: FieldProps; readonly described: Described }) {
  const { kind = "text", name, choices = [], autocomplete = "off", isOptional, onChange } = field;
  const value = typeof field.value === "string" ? field.value : "";
  const shared = { ...described, name, value, required: !isOptional };
  if (kind === "long")
    return <textarea {...shared} rows={4} onInput={({ currentTarget }) => onChange(currentTarget.value)} />;
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
      // Otherwise, the browser takes years of five and six digits.
      max={kind === "time" ? "9999-12-31T23:59" : undefined}
      inputMode={kind in modes ? modes[kind as keyof typeof modes] : undefined}
      autoComplete={autocomplete}
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
