import { eventKinds } from "../data/event-types.ts";

type Props = { readonly value: readonly string[]; readonly onChange: (value: readonly string[]) => void };

/** A choice of events: everything, kinds, or single types. */
export function EventChoices({ value, onChange }: Props) {
  const toggle = (pattern: string, replaced: readonly string[] = []) =>
    onChange(
      value.includes(pattern)
        ? value.filter((other) => other !== pattern)
        : [...value.filter((other) => !replaced.includes(other)), pattern],
    );
  const box = (pattern: string, label: string, onToggle: () => void) => (
    <label key={pattern} class="choice">
      <input type="checkbox" checked={value.includes(pattern)} onChange={onToggle} />
      <span>{label}</span>
    </label>
  );
  const isEverything = value.includes("*");
  return (
    <>
      {box("*", "Everything, also types that are added later", () => onChange(isEverything ? [] : ["*"]))}
      {!isEverything &&
        [...eventKinds].map(([kind, types]) => (
          <div key={kind}>
            {box(kind, `Everything of ${kind}`, () => toggle(kind, types))}
            {!value.includes(kind) && (
              <details class="types" open={types.some((type) => value.includes(type))}>
                <summary>Single types of {kind}</summary>
                {types.map((type) => box(type, type, () => toggle(type)))}
              </details>
            )}
          </div>
        ))}
    </>
  );
}
