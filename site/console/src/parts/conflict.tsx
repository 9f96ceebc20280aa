import { Button } from "./button.tsx";
import type { Field, Value } from "./field.tsx";
import { Notice } from "./states.tsx";
import { isSame, type Versions } from "./values.ts";

type Props = Versions & {
  readonly fields: readonly Field[];
  readonly onMine: () => void;
  readonly onTheirs: () => void;
};

/**
 * Shows what somebody else has changed since this person opened the form, and lets the person choose which values to
 * keep.
 */
export function Conflict({ fields, base, mine, theirs, onMine, onTheirs }: Props) {
  const differing = fields.filter(({ name }) => !isSame(theirs[name], base[name]) || !isSame(mine[name], base[name]));
  return (
    <div class="form">
      <Notice tone="warning" role="alert" title="Someone else changed this while you were editing">
        <p>Nothing has been saved. Compare the versions and choose one.</p>
      </Notice>
      {differing.map((field) => (
        <section key={field.name} class="versions" aria-label={field.label}>
          <h3>{field.label}</h3>
          <dl>
            <div>
              <dt>Saved now</dt>
              <dd>{shownValue(field, theirs[field.name])}</dd>
            </div>
            <div>
              <dt>Yours</dt>
              <dd>
                {isSame(mine[field.name], base[field.name]) ? "Not changed" : shownValue(field, mine[field.name])}
              </dd>
            </div>
          </dl>
        </section>
      ))}
      <p class="hint">If you save yours, only the fields that you changed are replaced.</p>
      <div class="actions end">
        <Button onClick={onTheirs}>Keep the saved version</Button>
        <Button tone="primary" onClick={onMine}>
          Save my changes
        </Button>
      </div>
    </div>
  );
}

function shownValue({ choices = [] }: Field, value: Value | undefined): string {
  const labelOf = (one: string) => choices.find((choice) => choice.value === one)?.label ?? one;
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "string") return labelOf(value) || "Empty";
  return value?.map(labelOf).join(", ") || "None";
}
