import { limitText } from "../data/destinations.ts";
import type { Delivery } from "../data/odis.ts";
import { timeOf } from "../format.ts";
import { timeError, timestampOf } from "../parts/checks.ts";
import type { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import type { Values } from "../parts/values.ts";
import { useOdis } from "../session.tsx";

type Props = { readonly destinationId: number; readonly onClose: () => void; readonly onDone: () => void };

export function ResendDelivery({ destinationId, delivery, onClose, onDone }: Props & { readonly delivery: Delivery }) {
  const odis = useOdis();
  return (
    <FormDialog
      title={`Resend ${delivery.event_type}`}
      opened={{ values: {} }}
      submit="Resend the event"
      explain={() => <p>The event is sent once more, within seconds, with the id that it had before.</p>}
      done="The event will be sent within seconds. Refresh the deliveries to see the outcome."
      send={async (_, header) => {
        const path = { id: destinationId, delivery_id: delivery.id };
        await odis
          .post("/odis/v1/event_destinations/{id}/deliveries/{delivery_id}/resend", { params: { path, header } })
          .catch(limitText("You have resent many events in a short time. Wait a minute and try again."));
      }}
      onClose={onClose}
      onDone={onDone}
    />
  );
}

const statuses = [
  { value: "failed", label: "Failed events" },
  { value: "pending", label: "Pending events" },
  { value: "delivered", label: "Delivered events" },
  { value: "", label: "All events" },
];

const fields: readonly Field[] = [
  { name: "since", label: "Since", kind: "time", hint: "Time of the first event, at most 30 days ago." },
  { name: "until", label: "Until", kind: "time", isOptional: true, hint: "If it is empty, until now." },
  { name: "status", label: "Events", kind: "select", choices: statuses },
];

const day = 24 * 60 * 60 * 1000;

/** A time as an input of the browser has it, in the time zone of the person: `2026-11-21T14:05`. */
function localTime(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const spanErrors = ({ since, until }: Values) => ({
  since: timeError(since),
  until: until ? timeError(until) : undefined,
});

export function ResendSpan({ destinationId, onClose, onDone }: Props) {
  const odis = useOdis();
  const values = { since: localTime(new Date(Date.now() - day)), until: "", status: "failed" };
  return (
    <FormDialog
      title="Resend a time span"
      fields={fields}
      opened={{ values }}
      submit="Resend the events"
      explain={(entered) => <p>{spanText(entered)}</p>}
      check={spanErrors}
      done="The events are being sent. Refresh the deliveries to see the outcomes."
      send={async (_, header, { since, until, status }) => {
        const end = timestampOf(until);
        const chosen = statuses.find(({ value }) => value !== "" && value === status)?.value as Delivery["status"];
        return odis
          .request("post", "/odis/v1/event_destinations/{id}/resend", {
            params: { path: { id: destinationId }, header },
            body: {
              since: timestampOf(since) ?? "",
              ...(end !== undefined && { until: end }),
              ...(chosen !== undefined && { status: chosen }),
            },
          })
          .catch(
            limitText("Another time span is still being sent, or there were too many requests. Try again in a minute."),
          );
      }}
      onClose={onClose}
      onDone={onDone}
    />
  );
}

function spanText(values: Values): string {
  if (Object.values(spanErrors(values)).some(Boolean)) return "Enter a time span to see which events are sent.";
  const { since, until, status } = values;
  const which = statuses.find(({ value }) => value === status)?.label;
  const end = until ? `to before ${timeOf(String(until))}` : "until now";
  return (
    `${which} from ${timeOf(String(since))} ${end} are sent once more, oldest first. Each keeps its id, by which your ` +
    "receiver recognizes an event that it has had."
  );
}
