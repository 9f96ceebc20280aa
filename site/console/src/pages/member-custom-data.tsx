import { useState } from "preact/hooks";
import type { Member } from "../data/odis.ts";
import { Button } from "../parts/button.tsx";
import { nameError } from "../parts/checks.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Card, Facts } from "../parts/page.tsx";
import { type MemberProps, opening, usePatch } from "./member-props.ts";

const maintained = new Set([
  "lifetime_spend_cents",
  "blocked",
  "blocked_at",
  "blocked_by",
  "block_reason",
  "refunds",
  "notes",
]);
const customOf = ({ metadata }: Member): readonly (readonly [string, unknown])[] =>
  Object.entries(metadata).filter(([name]) => !maintained.has(name));
const shownValue = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

export function CustomDataCard(props: MemberProps) {
  const [edited, setEdited] = useState<readonly [name: string, value: string, isText?: boolean]>();
  const patch = usePatch(props);
  const { member } = props;
  const custom = customOf(member);
  const [name, value, isText = false] = edited ?? ["", ""];
  const isNew = name === "";
  return (
    <Card
      title="Custom data"
      actions={
        <Button label="Add custom data" onClick={() => setEdited(["", ""])}>
          Add
        </Button>
      }
    >
      {custom.length === 0 && <p class="muted">No custom data. Your own systems can store values here.</p>}
      {custom.length > 0 && (
        <Facts
          of={custom.map(([key, of]) => [
            key,
            <span class="value-and-action">
              <span>{shownValue(of)}</span>
              <Button
                tone="quiet"
                label={`Edit ${key}`}
                onClick={() => setEdited([key, shownValue(of), typeof of === "string"])}
              >
                Edit
              </Button>
            </span>,
          ])}
        />
      )}
      {edited && (
        <FormDialog
          title={isNew ? "Add custom data" : `Edit ${name}`}
          fields={[
            ...(isNew ? [{ name: "key", label: "Name", maxLength: 40 }] : []),
            {
              name: "value",
              label: "Value",
              isOptional: !isNew,
              hint: isNew ? undefined : "Leave it empty to remove it.",
            },
          ]}
          {...opening(props, () => ({ key: name, value }))}
          submit="Save"
          check={(values) => ({
            key: nameError(values.key),
            value: isNew && values.value === "" ? "Enter a value." : undefined,
          })}
          done="The custom data was saved."
          send={async (_, headers, values) =>
            patch({ metadata: { [String(values.key).trim()]: parsed(String(values.value), isText) } }, headers)
          }
          onClose={() => setEdited(undefined)}
          onDone={props.refresh}
        />
      )}
    </Card>
  );
}

/** Parses numbers, booleans, lists and objects as JSON, and anything else as text. An empty text removes the key. */
function parsed(text: string, isText: boolean): unknown {
  if (text === "") return null;
  if (isText) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
