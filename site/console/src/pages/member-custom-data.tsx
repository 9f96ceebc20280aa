import { useState } from "preact/hooks";
import { isErased } from "../data/member-words.ts";
import type { Member } from "../data/odis.ts";
import { Button } from "../parts/button.tsx";
import { nameError } from "../parts/checks.ts";
import type { Value } from "../parts/field.tsx";
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
const valueOf = (metadata: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(metadata, name) ? metadata[name] : undefined;
const shownValue = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

export function CustomDataCard(props: MemberProps) {
  const [name, setName] = useState<string>();
  const patch = usePatch(props);
  const { member } = props;
  const custom = customOf(member);
  const isNew = name === "";
  return (
    <Card
      title="Custom data"
      actions={
        !isErased(member) && (
          <Button label="Add custom data" onClick={() => setName("")}>
            Add
          </Button>
        )
      }
    >
      {custom.length === 0 && <p class="muted">No custom data. Your own systems can store values here.</p>}
      {custom.length > 0 && (
        <Facts
          of={custom.map(([key, of]) => [
            key,
            <span class="value-and-action">
              <span>{shownValue(of)}</span>
              <Button tone="quiet" label={`Edit ${key}`} onClick={() => setName(key)}>
                Edit
              </Button>
            </span>,
          ])}
        />
      )}
      {name !== undefined && (
        <FormDialog
          title={isNew ? "Add custom data" : `Edit ${name}`}
          fields={[
            ...(isNew ? [{ name: "key", label: "Name" }] : []),
            {
              name: "value",
              label: "Value",
              isOptional: !isNew,
              hint: isNew ? undefined : "Leave it empty to remove it.",
            },
          ]}
          {...opening(props, ({ metadata }) => ({ key: name, value: shownValue(valueOf(metadata, name) ?? "") }))}
          submit="Save"
          check={(values) => ({
            key: isNew ? newNameError(values.key, member) : undefined,
            value: isNew && values.value === "" ? "Enter a value." : undefined,
          })}
          done="The custom data was saved."
          send={async (_, headers, values) => {
            const isText = typeof valueOf(member.metadata, name) === "string";
            const key = isNew ? String(values.key).trim() : name;
            await patch({ metadata: { [key]: parsed(String(values.value), isText) } }, headers);
          }}
          onClose={() => setName(undefined)}
          onDone={props.refresh}
        />
      )}
    </Card>
  );
}

function newNameError(value: Value | undefined, { metadata }: Member): string | undefined {
  const name = String(value).trim();
  if (maintained.has(name)) return "Odis uses this name itself. Choose a different one.";
  return Object.hasOwn(metadata, name)
    ? "There is a value with this name. Close this form and edit that value."
    : nameError(value);
}

/**
 * Parses booleans, lists, objects, and numbers that lose nothing as JSON. Anything else is a text, such as the product code
 * `1.10`, or an id with 18 digits. An empty text removes the key.
 */
function parsed(text: string, isText: boolean): unknown {
  if (text === "") return null;
  if (isText) return text;
  try {
    const value = JSON.parse(text) as unknown;
    const isExact = typeof value !== "number" || (String(value) === text && Math.abs(value) <= Number.MAX_SAFE_INTEGER);
    return value !== null && isExact ? value : text;
  } catch {
    return text;
  }
}
