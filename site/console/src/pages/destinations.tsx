import { useState } from "preact/hooks";
import { destinationName, destinationState } from "../data/destination-words.ts";
import type { Destination, DestinationWithSecret } from "../data/odis.ts";
import { useLoad } from "../data/use-load.ts";
import { timeOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { Badge, Page } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { linkTo } from "../router.ts";
import { useOdis } from "../session.tsx";
import { AddDestination, ShownSecret } from "./destination-dialogs.tsx";

/** The servers to which the events of a community are sent. */
export function DestinationsPage({ communityId }: { readonly communityId: number }) {
  const odis = useOdis();
  const [isAdding, setIsAdding] = useState(false);
  const [added, setAdded] = useState<DestinationWithSecret>();
  const params = { path: { community_id: communityId }, query: { per: 100 } };
  const list = useLoad(
    (signal) => odis.get("/odis/v1/communities/{community_id}/event_destinations", { params, signal }),
    [communityId],
  );
  // Reloads the list in any case, because a request whose response was lost may have taken effect.
  const onClose = (): void => {
    setIsAdding(false);
    list.reload();
  };
  return (
    <Page
      title="Event destinations"
      lead={<p>Servers that get the events of the community.</p>}
      actions={
        <Button tone="primary" onClick={() => setIsAdding(true)}>
          Add a destination
        </Button>
      }
    >
      <Loaded what="the event destinations" of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="destinations" title="There are no event destinations yet">
              <p>
                Odis can tell your server at once when somebody joins, pays, or loses access, so that it can open a door
                or send a parcel. The <a href="/docs/guide#webhooks">guide</a> shows how to receive these events.
              </p>
            </Empty>
          ) : (
            <>
              <h2 class="hidden">Destinations</h2>
              <ul class="records">
                {data.map((destination) => (
                  <Row key={destination.id} destination={destination} communityId={communityId} />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
      {isAdding && <AddDestination communityId={communityId} onSecret={setAdded} onClose={onClose} />}
      {added && <ShownSecret destination={added} onClose={() => setAdded(undefined)} />}
    </Page>
  );
}

type Props = { readonly destination: Destination; readonly communityId: number };

function Row({ destination, communityId }: Props) {
  const { id, url, events, last_success_at } = destination;
  const { tone, name, text } = destinationState(destination);
  return (
    <li class="card record">
      <div class="record-text">
        <h3>
          <a href={linkTo(["communities", communityId, "event-destinations", id])}>{destinationName(destination)}</a>
        </h3>
        <p class="long-url">{url}</p>
        <p class="long-url muted">{eventsText(events)}</p>
        {text && <p class="muted">{text}</p>}
        <p class="muted">Last success: {last_success_at === null ? "none yet" : timeOf(last_success_at)}</p>
      </div>
      <Badge tone={tone}>{name}</Badge>
    </li>
  );
}

/** The events that a destination gets. */
export const eventsText = (events: readonly string[]): string =>
  events.includes("*") ? "Every event" : events.join(", ");
