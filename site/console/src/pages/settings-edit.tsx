import type { Community, CommunityUpdate } from "../data/odis.ts";
import { openedBy, type Versioned } from "../data/use-records.ts";
import { ifMatch, type WriteHeaders } from "../data/use-write.ts";
import { nameError } from "../parts/checks.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import type { Values } from "../parts/values.ts";
import { useOdis } from "../session.tsx";

/** Properties of the dialogs of the settings. */
export type CommunityProps = {
  readonly community: Community;
  readonly etag: string;
  /** Rereads the community and shows it. */
  readonly reread: () => Promise<Versioned<Community>>;
  readonly onClose: () => void;
  readonly onDone: () => void;
};

/** The values with which a form about the community opens, and a function to reread them. */
export function opening(props: CommunityProps, toValues: (community: Community) => Values = () => ({})) {
  const opened = { values: toValues(props.community), etag: props.etag };
  return { opened, reread: openedBy(props.reread, toValues) };
}

/** Changes the community. */
export function usePatch({ community: { id } }: CommunityProps) {
  const odis = useOdis();
  return async (community: CommunityUpdate["community"], headers: WriteHeaders): Promise<void> => {
    const params = { path: { id }, header: ifMatch(headers) };
    await odis.patch("/odis/v1/communities/{id}", { params, body: { community } });
  };
}

const valuesOf = ({ name, slug, avatar_url }: Community): Values => ({ name, slug, avatar_url: avatar_url ?? "" });

export function EditCommunity(props: CommunityProps) {
  const patch = usePatch(props);
  const { community } = props;
  return (
    <FormDialog
      title="Edit the community"
      fields={[
        { name: "name", label: "Name" },
        {
          name: "slug",
          label: "Address",
          hint: "Lowercase letters, digits and hyphens. Links with the old address stop working.",
        },
        {
          name: "avatar_url",
          label: "Picture URL",
          kind: "url",
          isOptional: true,
          hint: "Starts with https.",
        },
      ]}
      {...opening(props, valuesOf)}
      submit="Save"
      explain={(values) =>
        values.name !== community.name && (
          <p>Members see the new name immediately. Discovery shows it within a minute.</p>
        )
      }
      check={({ name, slug }) => ({
        name: nameError(name),
        slug: /^[a-z0-9-]+$/.test(String(slug)) ? undefined : "Use lowercase letters, digits and hyphens only.",
      })}
      done="The community was saved."
      send={async (changed, headers) => {
        const { avatar_url, ...texts } = changed;
        await patch({ ...texts, ...(avatar_url !== undefined && { avatar_url: String(avatar_url) || null }) }, headers);
      }}
      onClose={props.onClose}
      onDone={props.onDone}
    />
  );
}
