import { useState } from "preact/hooks";
import { destinationName, destinationState } from "../data/destination-words.ts";
import type { Destination, DestinationWithSecret } from "../data/odis.ts";
import { isMissing } from "../data/problem-text.ts";
import { useLoad } from "../data/use-load.ts";
import { timeOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { Badge, Card, Facts, Page } from "../parts/page.tsx";
import { Loaded } from "../parts/states.tsx";
import { goTo, linkTo } from "../router.ts";
import { useOdis } from "../session.tsx";
import { Deliveries } from "./deliveries.tsx";
import {
  DeleteDestination,
  EditDestination,
  PingDestination,
  ReplaceSecret,
  ShownSecret,
  SwitchDestination,
} from "./destination-dialogs.tsx";
import { eventsText } from "./destinations.tsx";
import { NotFoundPage } from "./not-found.tsx";

const dialogs = {
  ping: PingDestination,
  edit: EditDestination,
  secret: ReplaceSecret,
  switch: SwitchDestination,
  delete: DeleteDestination,
};

type Props = { readonly communityId: number; readonly id: number };

/** An event destination and its deliveries. */
export function DestinationPage({ communityId, id }: Props) {
  const odis = useOdis();
  const destination = useLoad(
    (signal) => odis.get("/odis/v1/event_destinations/{id}", { params: { path: { id } }, signal }),
    [id],
  );
  const href = linkTo(["communities", communityId, "event-destinations"]);
  const { data, error, reload } = destination;
  if (isMissing(error)) return <NotFoundPage />;
  if (data) return <Shown destination={data} href={href} onChange={reload} />;
  return (
    <Page title="Event destination" back={{ href, text: "Event destinations" }}>
      <Loaded what="the event destination" of={destination}>
        {() => null}
      </Loaded>
    </Page>
  );
}

type ShownProps = { readonly destination: Destination; readonly href: string; readonly onChange: () => void };

function Shown({ destination, href, onChange }: ShownProps) {
  const [open, setOpen] = useState<keyof typeof dialogs>();
  const [replaced, setReplaced] = useState<DestinationWithSecret>();
  const { id, url, events, status, secret_hint, last_success_at, created_at } = destination;
  const { tone, name, text } = destinationState(destination);
  const Dialog = open && dialogs[open];
  const opener = (dialog: keyof typeof dialogs, label: string) => (
    <Button onClick={() => setOpen(dialog)}>{label}</Button>
  );
  return (
    <Page
      title={destinationName(destination)}
      back={{ href, text: "Event destinations" }}
      lead={
        <p class="member-lead">
          <Badge tone={tone}>{name}</Badge> {text}
        </p>
      }
      actions={
        <>
          {opener("ping", "Send a ping")}
          {opener("edit", "Edit")}
          {opener("secret", "New secret")}
          {opener("switch", status === "enabled" ? "Disable" : "Enable")}
          {opener("delete", "Delete")}
        </>
      }
    >
      <Card title="Destination">
        <Facts
          of={[
            ["URL", <span class="long-url">{url}</span>],
            ["Events", eventsText(events)],
            ["Secret", `Ends in ${secret_hint}`],
            ["Last success", last_success_at === null ? "None yet" : timeOf(last_success_at)],
            ["Added", timeOf(created_at)],
          ]}
        />
      </Card>
      <Deliveries destinationId={id} />
      {Dialog && (
        <Dialog
          destination={destination}
          onSecret={setReplaced}
          onDeleted={() => goTo(href)}
          onClose={() => {
            setOpen(undefined);
            onChange();
          }}
        />
      )}
      {replaced && <ShownSecret destination={replaced} onClose={() => setReplaced(undefined)} />}
    </Page>
  );
}
