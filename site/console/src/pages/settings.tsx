import { useState } from "preact/hooks";
import type { Community, CommunityUpdate } from "../data/odis.ts";
import { isMissing } from "../data/problem-text.ts";
import { useLoad } from "../data/use-load.ts";
import type { WriteHeaders } from "../data/use-write.ts";
import { dateOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Badge, Card, Facts, Page } from "../parts/page.tsx";
import { Loaded } from "../parts/states.tsx";
import type { Opened, Values } from "../parts/values.ts";
import { useGroup, useOdis, useSession } from "../session.tsx";
import { NotFoundPage } from "./not-found.tsx";

type Dialog = "edit" | "transfer" | "archive" | "trending";
type Shown = { readonly community: Community; readonly etag: string };

const valuesOf = ({ name, slug, avatar_url }: Community): Values => ({ name, slug, avatar_url: avatar_url ?? "" });

export function SettingsPage({ communityId }: { readonly communityId: number }) {
  const odis = useOdis();
  const isAdmin = useGroup("admin");
  const [dialog, setDialog] = useState<Dialog>();
  const read = async (signal?: AbortSignal): Promise<Shown> => {
    const params = { path: { id: communityId } };
    const answer = await odis.request("get", "/odis/v1/communities/{id}", { params, ...(signal && { signal }) });
    return { community: answer.data, etag: answer.headers.get("etag") ?? "" };
  };
  const load = useLoad(read, [communityId]);
  if (isMissing(load.error)) return <NotFoundPage />;
  const shared = {
    communityId,
    reread: async () => {
      const shown = await read();
      load.setData(shown);
      return shown;
    },
    onClose: () => setDialog(undefined),
    onDone: load.reload,
  };
  return (
    <Page title="Settings">
      <Loaded what="the community" of={load}>
        {({ community, etag }) => (
          <>
            <Card title="Community" actions={<Button onClick={() => setDialog("edit")}>Edit</Button>}>
              <Facts
                of={[
                  ["Name", community.name],
                  ["Address", community.slug],
                  ["Picture", community.avatar_url ?? "None"],
                  ["Created", dateOf(community.created_at)],
                  [
                    "Status",
                    community.status === "active" ? (
                      <Badge tone="good">Active</Badge>
                    ) : (
                      <Badge tone="neutral">Archived</Badge>
                    ),
                  ],
                ]}
              />
            </Card>
            <Card
              title="Ownership and listing"
              actions={
                isAdmin && (
                  <>
                    <Button onClick={() => setDialog("transfer")}>Transfer</Button>
                    <Button onClick={() => setDialog("trending")}>Trending mark</Button>
                    <Button onClick={() => setDialog("archive")}>
                      {community.status === "active" ? "Archive" : "Activate"}
                    </Button>
                  </>
                )
              }
            >
              <Facts
                of={[
                  ["Owner", `User ${community.owner_id ?? "unknown"}`],
                  ["Trending", trendingText(community)],
                ]}
              />
              {!isAdmin && <p class="muted">Only admins can transfer or archive a community.</p>}
            </Card>
            {dialog === "edit" && <Edit {...shared} community={community} etag={etag} />}
            {dialog === "transfer" && <Transfer {...shared} community={community} etag={etag} />}
            {dialog === "trending" && <Trending {...shared} community={community} etag={etag} />}
            {dialog === "archive" && <Archive {...shared} community={community} etag={etag} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

const trendingText = ({ trending, trending_pin }: Community): string =>
  `${trending ? "Yes" : "No"}, ${trending_pin === null ? "as the number of new members decides" : "as an admin has decided"}`;

type DialogProps = Shown & {
  readonly communityId: number;
  readonly reread: () => Promise<Shown>;
  readonly onClose: () => void;
  readonly onDone: () => void;
};

/** Changes the community. What the person may open changes with it. */
function usePatch({ communityId, onDone }: DialogProps) {
  const odis = useOdis();
  const { refresh } = useSession();
  return async (community: CommunityUpdate["community"], { "If-Match": etag }: WriteHeaders): Promise<void> => {
    await odis.patch("/odis/v1/communities/{id}", {
      params: { path: { id: communityId }, header: etag === undefined ? {} : { "If-Match": etag } },
      body: { community },
    });
    onDone();
    await refresh().catch(() => undefined);
  };
}

const rereadOf =
  ({ reread }: DialogProps, toValues: (community: Community) => Values) =>
  async (): Promise<Opened> => {
    const { community, etag } = await reread();
    return { values: toValues(community), etag };
  };

function Edit(props: DialogProps) {
  const patch = usePatch(props);
  const { community, etag } = props;
  return (
    <FormDialog
      title="Edit the community"
      fields={[
        { name: "name", label: "Name", maxLength: 120 },
        {
          name: "slug",
          label: "Address",
          maxLength: 63,
          hint: "Small letters, digits and hyphens. Links with the old address stop working.",
        },
        {
          name: "avatar_url",
          label: "Address of the picture",
          kind: "url",
          isOptional: true,
          hint: "It begins with https.",
        },
      ]}
      opened={{ values: valuesOf(community), etag }}
      submit="Save"
      explain={(values) =>
        values.name !== community.name && (
          <p>Members see the new name at once. In discovery, it takes up to a minute.</p>
        )
      }
      check={({ name, slug }) => ({
        name: String(name).trim() === "" ? "Enter a name." : undefined,
        slug: /^[a-z0-9-]+$/.test(String(slug)) ? undefined : "Use small letters, digits and hyphens only.",
      })}
      done="The community was saved."
      send={async (changed, headers) => {
        const { avatar_url, ...texts } = changed;
        await patch({ ...texts, ...(avatar_url !== undefined && { avatar_url: String(avatar_url) || null }) }, headers);
      }}
      reread={rereadOf(props, valuesOf)}
      onClose={props.onClose}
    />
  );
}

function Transfer(props: DialogProps) {
  const patch = usePatch(props);
  const { community, etag } = props;
  return (
    <FormDialog
      title={`Transfer ${community.name}`}
      fields={[
        {
          name: "owner_id",
          label: "User id of the new owner",
          kind: "number",
          hint: "It is on the page of a member, and on the person’s own account page.",
        },
      ]}
      opened={{ values: { owner_id: "" }, etag }}
      submit="Transfer the community"
      tone="danger"
      explain={({ owner_id }) => (
        <p>
          {owner_id === "" ? "The new owner" : `User ${String(owner_id)}`} can manage the members, their payments and
          the tiers at once. User {community.owner_id}, the owner until now, can no longer do so. Members keep their
          subscriptions. Its event destinations are disabled until the new owner enables them.
        </p>
      )}
      check={({ owner_id }) => ({
        owner_id: /^[1-9]\d{0,15}$/.test(String(owner_id).trim()) ? undefined : "Enter a number, such as 17.",
      })}
      done="The community was transferred."
      send={async (_, headers, { owner_id }) => patch({ owner_id: Number(owner_id) }, headers)}
      reread={rereadOf(props, () => ({ owner_id: "" }))}
      onClose={props.onClose}
    />
  );
}

function Trending(props: DialogProps) {
  const patch = usePatch(props);
  const toValues = ({ trending_pin }: Community): Values => ({ trending_pin: trending_pin ?? "" });
  return (
    <FormDialog
      title="Trending mark"
      fields={[
        {
          name: "trending_pin",
          label: "Is the community marked as trending?",
          kind: "radio",
          choices: [
            { value: "", label: "The number of new members decides" },
            { value: "on", label: "Yes" },
            { value: "off", label: "No" },
          ],
        },
      ]}
      opened={{ values: toValues(props.community), etag: props.etag }}
      submit="Save"
      done="The trending mark was saved."
      send={async (_, headers, { trending_pin }) =>
        patch({ trending_pin: trending_pin === "on" || trending_pin === "off" ? trending_pin : null }, headers)
      }
      reread={rereadOf(props, toValues)}
      onClose={props.onClose}
    />
  );
}

function Archive(props: DialogProps) {
  const patch = usePatch(props);
  const { community, etag } = props;
  const isActive = community.status === "active";
  return (
    <FormDialog
      title={`${isActive ? "Archive" : "Activate"} ${community.name}`}
      fields={[]}
      opened={{ values: {}, etag }}
      submit={isActive ? "Archive the community" : "Activate the community"}
      tone={isActive ? "danger" : "primary"}
      explain={() => (
        <p>
          {isActive
            ? "It is no longer listed, and nobody can join. Members keep access and keep paying until they cancel."
            : "It is listed again, and people can join."}
        </p>
      )}
      done={`The community was ${isActive ? "archived" : "activated"}.`}
      send={async (_, headers) => patch({ status: isActive ? "archived" : "active" }, headers)}
      reread={rereadOf(props, () => ({}))}
      onClose={props.onClose}
    />
  );
}
