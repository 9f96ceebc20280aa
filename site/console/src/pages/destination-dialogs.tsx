import { useState } from "preact/hooks";
import { destinationName, pingText } from "../data/destination-words.ts";
import { limitText, useDestination } from "../data/destinations.ts";
import type { Destination, DestinationWithSecret, Odis, OdisResponse, Outcome } from "../data/odis.ts";
import { ignoreMissing } from "../data/problem-text.ts";
import { Dialog } from "../parts/dialog.tsx";
import type { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { RecordDialog } from "../parts/record-dialog.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import type { Values } from "../parts/values.ts";
import { useOdis } from "../session.tsx";

type Added = { readonly onSecret: (destination: DestinationWithSecret) => void; readonly onClose: () => void };

const fields: readonly Field[] = [
  {
    name: "url",
    label: "URL",
    kind: "url",
    hint: "An https address of your server, such as https://example.com/odis.",
  },
  { name: "description", label: "Description", isOptional: true },
  { name: "events", label: "Events", kind: "events" },
];

const check = ({ url, events }: Values) => ({
  url: URL.canParse(String(url).trim()) ? undefined : "Enter a URL, such as https://example.com/odis.",
  events: Array.isArray(events) && events.length > 0 ? undefined : "Choose at least one.",
});

/** The values of a form as the API stores them. */
const fieldsOf = ({ url, events, description }: Values) => ({
  ...(url !== undefined && { url: new URL(String(url).trim()).href }),
  ...(Array.isArray(events) && { events: [...(events as readonly string[])] }),
  ...(description !== undefined && { description: String(description).trim() }),
});

/** Whether the destination in a response still has the secret in it. */
async function hasSecret(odis: Odis, { data: { id, secret } }: OdisResponse<DestinationWithSecret>): Promise<boolean> {
  const params = { path: { id } };
  const stored = await odis.get("/odis/v1/event_destinations/{id}", { params }).catch(ignoreMissing);
  return stored !== undefined && secret.endsWith(stored.secret_hint);
}

type AddProps = Added & { readonly communityId: number };

export function AddDestination({ communityId, onSecret, onClose }: AddProps) {
  const odis = useOdis();
  return (
    <FormDialog
      title="Add an event destination"
      fields={fields}
      opened={{ values: { url: "", description: "", events: ["*"] } }}
      submit="Add the destination"
      explain={() => (
        <p>Events from now on are sent to this URL, signed with a secret. The secret is shown once, after this step.</p>
      )}
      check={check}
      done="The event destination was added."
      send={async (_, header, values) => {
        const { url = "", events = [], description = "" } = fieldsOf(values);
        return odis.request("post", "/odis/v1/communities/{community_id}/event_destinations", {
          params: { path: { community_id: communityId }, header },
          body: { event_destination: { url, events, description } },
        });
      }}
      hasSecret={(response) => hasSecret(odis, response)}
      onDone={(response) => response && onSecret(response.data)}
      onClose={onClose}
    />
  );
}

type Secret = { readonly destination: DestinationWithSecret; readonly onClose: () => void };

/** Shows the secret of a destination that was added, or whose secret was replaced. */
export const ShownSecret = ({ destination, onClose }: Secret) => (
  <ShownOnce
    title={`Secret of ${destinationName(destination)}`}
    noun="secret"
    value={destination.secret}
    onClose={onClose}
  >
    <p>
      Store it in the settings of your receiver, which checks the signature of each event with it. If you lose it, make
      a new one.
    </p>
  </ShownOnce>
);

export type DestinationProps = Added & { readonly destination: Destination; readonly onDeleted: () => void };

export function EditDestination({ destination, onClose }: DestinationProps) {
  const { read, change } = useDestination(destination);
  return (
    <RecordDialog
      title={`Edit ${destinationName(destination)}`}
      id={destination.id}
      read={read(({ url, events, description }) => ({ url, description, events }))}
      fields={fields}
      submit="Save"
      explain={() => <p>A choice of events applies to events from now on.</p>}
      check={check}
      done="The event destination was saved."
      send={(changed, headers) => change(headers["If-Match"], fieldsOf(changed))}
      onClose={onClose}
    />
  );
}

export function SwitchDestination({ destination, onClose }: DestinationProps) {
  const { read, change } = useDestination(destination);
  const isEnabled = destination.status === "enabled";
  const name = destinationName(destination);
  return (
    <RecordDialog
      title={`${isEnabled ? "Disable" : "Enable"} ${name}`}
      id={destination.id}
      read={read()}
      submit={isEnabled ? "Disable the destination" : "Enable the destination"}
      explain={() => (
        <p>
          {isEnabled
            ? "Nothing more is sent to it. Deliveries that are not complete fail, and events that occur while it is disabled are never sent."
            : "Events from now on are sent to it. Those that occurred while it was disabled are not: let your receiver read all records again."}
        </p>
      )}
      done={`${name} was ${isEnabled ? "disabled" : "enabled"}.`}
      send={(_, headers) => change(headers["If-Match"], { status: isEnabled ? "disabled" : "enabled" })}
      onClose={onClose}
    />
  );
}

const overlaps = [
  { value: "24", label: "24 hours", hint: "Your receiver can switch to the new one at any time until then." },
  { value: "1", label: "1 hour" },
  {
    value: "0",
    label: "No time: it has leaked",
    hint: "Your receiver refuses events until it has the new one.",
  },
];

export function ReplaceSecret({ destination, onSecret, onClose }: DestinationProps) {
  const odis = useOdis();
  return (
    <FormDialog
      title={`New secret for ${destinationName(destination)}`}
      fields={[{ name: "overlap", label: "Keep the old secret for", kind: "radio", choices: overlaps }]}
      opened={{ values: { overlap: "24" } }}
      submit="Make a new secret"
      explain={({ overlap }) => (
        <p>
          {overlap === "0"
            ? "From now on, events are signed with the new secret only."
            : "Until then, events are signed with both secrets. A secret that was replaced before ends now."}
        </p>
      )}
      done="The secret was replaced."
      send={async (_, header, { overlap }) => {
        return odis.request("post", "/odis/v1/event_destinations/{id}/rotate_secret", {
          params: { path: { id: destination.id }, header },
          body: { overlap_hours: Number(overlap) },
        });
      }}
      hasSecret={(response) => hasSecret(odis, response)}
      onDone={(response) => response && onSecret(response.data)}
      onClose={onClose}
    />
  );
}

export function PingDestination({ destination, onClose }: DestinationProps) {
  const odis = useOdis();
  const [outcome, setOutcome] = useState<Outcome>();
  return (
    <Dialog title={`Ping ${destinationName(destination)}`} onClose={onClose}>
      <Form
        opened={{ values: {} }}
        submit={outcome ? "Ping again" : "Send a ping"}
        explain={() => (
          <p>
            {outcome
              ? pingText(outcome)
              : "Sends an event of the type ping now, and waits at most five seconds for the answer."}
          </p>
        )}
        send={async (_, header) => {
          const params = { path: { id: destination.id }, header };
          setOutcome(
            await odis
              .post("/odis/v1/event_destinations/{id}/ping", { params })
              .catch(
                limitText("Too many pings were sent, or two are still waiting for an answer. Try again in a minute."),
              ),
          );
        }}
        onCancel={onClose}
      />
    </Dialog>
  );
}

export function DeleteDestination({ destination, onClose, onDeleted }: DestinationProps) {
  const { remove } = useDestination(destination);
  const name = destinationName(destination);
  return (
    <FormDialog
      title={`Delete ${name}`}
      opened={{ values: {} }}
      submit="Delete the destination"
      tone="danger"
      explain={() => (
        <p>
          Nothing more is sent to it, and its deliveries can no longer be seen or sent again. This cannot be undone.
        </p>
      )}
      done={`${name} was deleted.`}
      send={remove}
      onDone={onDeleted}
      onClose={onClose}
    />
  );
}
