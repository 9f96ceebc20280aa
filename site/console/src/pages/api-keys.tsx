import { useState } from "preact/hooks";
import type { ApiKey, ApiKeyWithKey } from "../data/odis.ts";
import { useLoad } from "../data/use-load.ts";
import { dateOf, timeOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { Badge, Page } from "../parts/page.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { useOdis, useSession } from "../session.tsx";
import { CreateKey, RevokeKey } from "./api-key-dialogs.tsx";
import { roleTexts } from "./invitations.tsx";

/** The keys with which servers act for a community. */
export function ApiKeysPage({ communityId }: { readonly communityId: number }) {
  const odis = useOdis();
  const [open, setOpen] = useState<"create" | ApiKey>();
  const [created, setCreated] = useState<ApiKeyWithKey>();
  const params = { path: { community_id: communityId }, query: { per: 100 } };
  const list = useLoad(
    (signal) => odis.get("/odis/v1/communities/{community_id}/api_keys", { params, signal }),
    [communityId],
  );
  // Reloads the list in any case, because a request whose response was lost may have taken effect.
  const onClose = (): void => {
    setOpen(undefined);
    list.reload();
  };
  return (
    <Page
      title="API keys"
      lead={<p>Keys with which your servers read and change the community.</p>}
      actions={
        <Button tone="primary" onClick={() => setOpen("create")}>
          Create a key
        </Button>
      }
    >
      <Loaded what="the API keys" of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="keys" title="There are no API keys yet">
              <p>
                A server, such as a warehouse or a web shop, acts for the community with a key instead of a person's
                password. The <a href="/docs/api#13-api-keys">documentation</a> shows how to send it.
              </p>
            </Empty>
          ) : (
            <>
              <h2 class="hidden">Keys</h2>
              <ul class="records">
                {data.map((apiKey) => (
                  <Row key={apiKey.id} apiKey={apiKey} onRevoke={() => setOpen(apiKey)} />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
      {open === "create" && <CreateKey communityId={communityId} onKey={setCreated} onClose={onClose} />}
      {typeof open === "object" && <RevokeKey apiKey={open} onClose={onClose} />}
      {created && (
        <ShownOnce
          title={`Key of ${created.name}`}
          noun="key"
          value={created.key}
          onClose={() => setCreated(undefined)}
        >
          <p>Store it in the settings of your server. If you lose it, revoke it and create another one.</p>
        </ShownOnce>
      )}
    </Page>
  );
}

type Props = { readonly apiKey: ApiKey; readonly onRevoke: () => void };

function Row({ apiKey, onRevoke }: Props) {
  const { me } = useSession();
  const { name, role, hint, created_by, created_at, last_used_at, expires_at } = apiKey;
  const creator = created_by === null ? "an erased person" : created_by === me?.user?.id ? "you" : `user ${created_by}`;
  return (
    <li class="card record">
      <div class="record-text">
        <h3>{name}</h3>
        <p>
          <Badge tone="neutral">{roleTexts[role]}</Badge> <span class="muted">ends in {hint}</span>
        </p>
        <p class="muted">
          Created by {creator} on {dateOf(created_at)}, expires on {dateOf(expires_at)}
        </p>
        <p class="muted">{last_used_at === null ? "Not used yet" : `Last used about ${timeOf(last_used_at)}`}</p>
      </div>
      <div class="actions">
        <Button label={`Revoke ${name}`} onClick={onRevoke}>
          Revoke
        </Button>
      </div>
    </li>
  );
}
