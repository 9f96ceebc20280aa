import { useState } from "preact/hooks";
import { attemptText, deliveryState } from "../data/destination-words.ts";
import type { Delivery } from "../data/odis.ts";
import { useList } from "../data/use-list.ts";
import { numberOf, timeOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { More } from "../parts/more.tsx";
import { Badge, Card } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { useOdis } from "../session.tsx";
import { ResendDelivery, ResendSpan } from "./delivery-dialogs.tsx";

type Open = { readonly dialog: "span" } | { readonly dialog: "one"; readonly delivery: Delivery };

/** The deliveries to a destination, newest first. */
export function Deliveries({ destinationId }: { readonly destinationId: number }) {
  const odis = useOdis();
  const [open, setOpen] = useState<Open>();
  const list = useList(
    (cursor, signal) =>
      odis.get("/odis/v1/event_destinations/{id}/deliveries", {
        params: { path: { id: destinationId }, query: { per: 20, ...(cursor !== undefined && { cursor }) } },
        ...(signal && { signal }),
      }),
    [destinationId],
  );
  const shared = { destinationId, onClose: () => setOpen(undefined), onDone: list.reload };
  return (
    <Card
      title="Deliveries"
      actions={
        <>
          <Button isRunning={list.isLoading} onClick={list.reload}>
            Refresh
          </Button>
          <Button onClick={() => setOpen({ dialog: "span" })}>Resend a time span</Button>
        </>
      }
    >
      <Loaded what="the deliveries" of={list}>
        {({ data }) => (
          <>
            {data.length === 0 && (
              <Empty title="Nothing was sent yet">
                <p>Each event that is sent appears here for 30 days.</p>
              </Empty>
            )}
            <ul class="rows">
              {data.map((delivery) => (
                <Row key={delivery.id} delivery={delivery} onResend={() => setOpen({ dialog: "one", delivery })} />
              ))}
            </ul>
            <More of={list} what="older deliveries" />
          </>
        )}
      </Loaded>
      {open?.dialog === "one" && <ResendDelivery {...shared} delivery={open.delivery} />}
      {open?.dialog === "span" && <ResendSpan {...shared} />}
    </Card>
  );
}

type RowProps = { readonly delivery: Delivery; readonly onResend: () => void };

function Row({ delivery, onResend }: RowProps) {
  const { id, event_type, attempts, attempts_made } = delivery;
  const { tone, name } = deliveryState(delivery);
  const last = attempts.at(-1);
  const count = attempts_made > attempts.length ? `Last ${attempts.length} of ${attempts_made} attempts` : "Attempts";
  return (
    <li class="row">
      <details class="delivery">
        <summary>
          <span class="delivery-type">{event_type}</span> <Badge tone={tone}>{name}</Badge>{" "}
          <span class="muted">{last && timeOf(last.at)}</span>
        </summary>
        {last ? (
          <table aria-label={`${count} of ${event_type}`}>
            <thead>
              <tr>
                <th scope="col">{count}</th>
                <th scope="col">Outcome</th>
                <th scope="col" class="number">
                  Duration
                </th>
              </tr>
            </thead>
            <tbody>
              {attempts.map((attempt) => (
                <tr key={attempt.at}>
                  <th scope="row">{timeOf(attempt.at)}</th>
                  <td>{attemptText(attempt)}</td>
                  <td class="number">{numberOf(attempt.duration_ms)} ms</td>
                </tr>
              ))}
            </tbody>
          </table>
        ) : (
          <p class="muted">There was no attempt yet.</p>
        )}
      </details>
      <Button label={`Resend ${event_type}, delivery ${id}`} onClick={onResend}>
        Resend
      </Button>
    </li>
  );
}
