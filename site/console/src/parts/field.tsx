import { useId } from "preact/hooks";
import { Choices, type Described, Input } from "./input.tsx";

export type Value = string | boolean | readonly string[];

type Choice = { readonly value: string; readonly label: string; readonly hint?: string | undefined };

/** A field of a form. Its value is a text, for `checkbox` a boolean, and for `checkboxes` the chosen values. */
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
    | "long"
    | "select"
    | "radio"
    | "checkbox"
    | "checkboxes";
  readonly hint?: string | undefined;
  readonly choices?: readonly Choice[];
  readonly isOptional?: boolean;
  readonly autocomplete?: string;
  readonly maxLength?: number;
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
  if (kind === "radio" || kind === "checkboxes")
    return (
      <fieldset class="field choices" aria-describedby={described["aria-describedby"]} id={id} tabIndex={-1}>
        <legend>{label}</legend>
        <Choices {...field} />
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
