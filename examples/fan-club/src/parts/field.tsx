type Props = {
  readonly label: string;
  readonly name: string;
  readonly type?: "text" | "email" | "password";
  readonly autoComplete: string;
  readonly hint?: string;
  readonly value?: string | undefined;
  /** A code of six digits. */
  readonly isCode?: boolean;
};

export function Field({ label, name, type = "text", autoComplete, hint, value, isCode }: Props) {
  // Preact's types have a variant for each type of input, and none for a choice of them.
  const kind = type as "text";
  return (
    <p class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={kind}
        autoComplete={autoComplete}
        defaultValue={value}
        required
        aria-describedby={hint ? `${name}-hint` : undefined}
        {...(isCode && { inputMode: "numeric", pattern: "[0-9]{6}", maxLength: 6 })}
      />
      {hint && (
        <span class="hint" id={`${name}-hint`}>
          {hint}
        </span>
      )}
    </p>
  );
}
