import { useState } from "preact/hooks";
import { personWith } from "../data/find-person.ts";
import type { Community, Person } from "../data/odis.ts";
import { nameOf } from "../format.ts";
import { emailError } from "../parts/checks.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Form } from "../parts/form.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import type { Values } from "../parts/values.ts";
import { useOdis } from "../session.tsx";
import { type CommunityProps, opening, usePatch } from "./settings-edit.tsx";

export function TransferCommunity(props: CommunityProps) {
  const patch = usePatch(props);
  const { community } = props;
  const odis = useOdis();
  const [owner, setOwner] = useState<Person>();
  const title = `Transfer ${community.name}`;
  if (!owner)
    return (
      <Dialog title={title} onClose={props.onClose}>
        <Form
          fields={[
            { name: "email", label: "Email of the new owner", kind: "email", hint: "They must have signed in once." },
          ]}
          opened={{ values: { email: "" } }}
          submit="Continue"
          check={({ email }) => ({ email: emailError(email) })}
          send={async (_, __, { email }) => setOwner(await personWith(odis, String(email)))}
          onCancel={props.onClose}
        />
      </Dialog>
    );
  return (
    <FormDialog
      title={title}
      {...opening(props, ({ owner_id }) => ({ isOwner: owner_id === owner.id }))}
      target={{ isOwner: true }}
      submit="Transfer the community"
      tone="danger"
      explain={() => (
        <p>
          {nameOf(owner)} ({owner.email}) can manage members, payments and tiers immediately. User {community.owner_id},
          the current owner, loses this access. The team, open invitations to it and API keys end. Event destinations
          are disabled until the new owner enables them. Members keep their subscriptions.
        </p>
      )}
      done="The community was transferred."
      send={async (_, headers) => patch({ owner_id: owner.id }, headers)}
      onClose={props.onClose}
      onDone={props.onDone}
    />
  );
}

export function TrendingMark(props: CommunityProps) {
  const patch = usePatch(props);
  const toValues = ({ trending_pin }: Community): Values => ({ trending_pin: trending_pin ?? "" });
  return (
    <FormDialog
      title="Trending"
      fields={[
        {
          name: "trending_pin",
          label: "Show the community as trending",
          kind: "radio",
          choices: [
            { value: "", label: "Automatic, based on the number of new members" },
            { value: "on", label: "Always" },
            { value: "off", label: "Never" },
          ],
        },
      ]}
      {...opening(props, toValues)}
      submit="Save"
      done="The trending setting was saved."
      send={async (_, headers, { trending_pin }) =>
        patch({ trending_pin: trending_pin === "on" || trending_pin === "off" ? trending_pin : null }, headers)
      }
      onClose={props.onClose}
      onDone={props.onDone}
    />
  );
}

export function ArchiveCommunity(props: CommunityProps) {
  const patch = usePatch(props);
  const { community } = props;
  const isActive = community.status === "active";
  const status = isActive ? "archived" : "active";
  return (
    <FormDialog
      title={`${isActive ? "Archive" : "Activate"} ${community.name}`}
      {...opening(props, (current) => ({ status: current.status }))}
      target={{ status }}
      submit={isActive ? "Archive the community" : "Activate the community"}
      tone={isActive ? "danger" : "primary"}
      explain={() => (
        <p>
          {isActive
            ? "It is no longer listed, and nobody can join. Members keep access and continue to pay until they cancel."
            : "It is listed again, and people can join."}
        </p>
      )}
      done={`The community was ${isActive ? "archived" : "activated"}.`}
      send={async (_, headers) => patch({ status }, headers)}
      onClose={props.onClose}
      onDone={props.onDone}
    />
  );
}
