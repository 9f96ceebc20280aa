import type { Community } from "../data/odis.ts";
import { userIdError } from "../parts/checks.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import type { Values } from "../parts/values.ts";
import { type CommunityProps, opening, usePatch } from "./settings-edit.tsx";

export function TransferCommunity(props: CommunityProps) {
  const patch = usePatch(props);
  const { community } = props;
  return (
    <FormDialog
      title={`Transfer ${community.name}`}
      fields={[
        {
          name: "owner_id",
          label: "User id of the new owner",
          kind: "number",
          hint: "Shown on the person’s account page and member page.",
        },
      ]}
      {...opening(props, () => ({ owner_id: "" }))}
      submit="Transfer the community"
      tone="danger"
      explain={({ owner_id }) => (
        <p>
          {owner_id === "" ? "The new owner" : `User ${String(owner_id)}`} can manage members, payments and tiers
          immediately. User {community.owner_id}, the current owner, loses this access. Members keep their
          subscriptions. Event destinations are disabled until the new owner enables them.
        </p>
      )}
      check={({ owner_id }) => ({ owner_id: userIdError(owner_id) })}
      done="The community was transferred."
      send={async (_, headers, { owner_id }) => patch({ owner_id: Number(owner_id) }, headers)}
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
  return (
    <FormDialog
      title={`${isActive ? "Archive" : "Activate"} ${community.name}`}
      {...opening(props)}
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
      send={async (_, headers) => patch({ status: isActive ? "archived" : "active" }, headers)}
      onClose={props.onClose}
      onDone={props.onDone}
    />
  );
}
