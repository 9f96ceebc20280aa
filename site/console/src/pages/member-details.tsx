import { useState } from "preact/hooks";
import { countryChoices, countryOf } from "../data/countries.ts";
import type { AddressInput, Member, MemberUpdate } from "../data/odis.ts";
import type { WriteHeaders } from "../data/use-write.ts";
import { firstNameOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Card, Facts } from "../parts/page.tsx";
import type { Values } from "../parts/values.ts";
import { useOdis } from "../session.tsx";
import type { MemberProps } from "./member.tsx";

/** Changes the member and shows it again. */
function usePatch({ communityId, member, refresh }: MemberProps) {
  const odis = useOdis();
  return async (update: MemberUpdate["member"], { "If-Match": etag }: WriteHeaders): Promise<void> => {
    await odis.patch("/odis/v1/communities/{community_id}/members/{id}", {
      params: {
        path: { community_id: communityId, id: member.id },
        header: etag === undefined ? {} : { "If-Match": etag },
      },
      body: { member: update },
    });
    refresh();
  };
}

const addressFields = [
  { name: "name", label: "Name of the recipient", autocomplete: "off" },
  { name: "line1", label: "Street and number" },
  { name: "line2", label: "Apartment, floor or company", isOptional: true },
  { name: "postal_code", label: "ZIP or postal code", isOptional: true },
  { name: "city", label: "City" },
  { name: "state", label: "State or region", isOptional: true },
  {
    name: "country",
    label: "Country",
    kind: "select",
    choices: [{ value: "", label: "Choose a country" }, ...countryChoices],
  },
] as const;

const required = { line1: "Enter the street.", city: "Enter the city.", country: "Choose a country." };
const addressOf = ({ shipping_address }: Member): Values => ({ ...shipping_address });

export function AddressCard(props: MemberProps) {
  const [isOpen, setIsOpen] = useState(false);
  const patch = usePatch(props);
  const { member, etag } = props;
  const { name, line1, line2, city, state, postal_code, country } = member.shipping_address;
  return (
    <Card
      title="Shipping address"
      actions={
        <Button label="Edit the shipping address" onClick={() => setIsOpen(true)}>
          Edit
        </Button>
      }
    >
      {member.has_shipping_address ? (
        <address>
          {[name, line1, line2, [postal_code, city].filter(Boolean).join(" "), state, countryOf(country)]
            .filter(Boolean)
            .map((line) => (
              <span key={line}>{line}</span>
            ))}
        </address>
      ) : (
        <p class="muted">
          {member.requires_shipping_address
            ? "No address yet. Their tier includes shipments."
            : "No address. Their tier needs none."}
        </p>
      )}
      {isOpen && (
        <FormDialog
          title="Shipping address"
          fields={addressFields}
          opened={{ values: addressOf(member), etag }}
          submit="Save the address"
          explain={() => <p>The address is saved here and at Stripe. {firstNameOf(member.user)} is not notified.</p>}
          check={(values) =>
            Object.fromEntries(
              Object.entries(required).map(([field, text]) => [field, values[field] === "" ? text : undefined]),
            )
          }
          done="The address was saved here and at Stripe."
          send={async (_, headers, values) => patch({ shipping_address: values as unknown as AddressInput }, headers)}
          reread={async () => {
            const shown = await props.reread();
            return { values: addressOf(shown.member), etag: shown.etag };
          }}
          onClose={() => setIsOpen(false)}
        />
      )}
    </Card>
  );
}

export function NotesCard(props: MemberProps) {
  const [isOpen, setIsOpen] = useState(false);
  const patch = usePatch(props);
  const { member, etag } = props;
  const { notes } = member.metadata;
  return (
    <Card
      title="Notes"
      actions={
        <Button label="Edit the notes" onClick={() => setIsOpen(true)}>
          Edit
        </Button>
      }
    >
      {notes ? <p class="notes">{notes}</p> : <p class="muted">No notes. Only you and admins would see them.</p>}
      {isOpen && (
        <FormDialog
          title="Notes"
          fields={[
            {
              name: "notes",
              label: "Notes about this member",
              kind: "long",
              isOptional: true,
              maxLength: 5000,
              hint: "You and admins see them. The member gets them too if they ask for their data.",
            },
          ]}
          opened={{ values: { notes }, etag }}
          submit="Save the notes"
          done="The notes were saved."
          send={async (_, headers, values) => patch({ metadata: { notes: String(values.notes) || null } }, headers)}
          reread={async () => {
            const shown = await props.reread();
            return { values: { notes: shown.member.metadata.notes }, etag: shown.etag };
          }}
          onClose={() => setIsOpen(false)}
        />
      )}
    </Card>
  );
}

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
  const { member, etag } = props;
  const custom = customOf(member);
  const [name, value, isText = false] = edited ?? ["", ""];
  const isNew = name === "";
  const opened = { values: { key: name, value }, etag };
  return (
    <Card
      title="Custom data"
      actions={
        <Button label="Add custom data" onClick={() => setEdited(["", ""])}>
          Add
        </Button>
      }
    >
      {custom.length === 0 && <p class="muted">Nothing. Your own systems can keep values here.</p>}
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
          opened={opened}
          submit="Save"
          check={(values) => ({
            key: String(values.key).trim() === "" ? "Enter a name." : undefined,
            value: isNew && values.value === "" ? "Enter a value." : undefined,
          })}
          done={`The custom data was saved.`}
          send={async (_, headers, values) =>
            patch({ metadata: { [String(values.key).trim()]: parsed(String(values.value), isText) } }, headers)
          }
          reread={async () => ({ values: opened.values, etag: (await props.reread()).etag })}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Card>
  );
}

/** Numbers, booleans and structures stay what they are; anything else is text, and an empty one removes the key. */
function parsed(text: string, isText: boolean): unknown {
  if (text === "") return null;
  if (isText) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
