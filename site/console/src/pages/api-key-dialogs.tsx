import type { ApiKey, ApiKeyWithKey } from "../data/odis.ts";
import { ignoreMissing } from "../data/problem-text.ts";
import { nameError, timeError, timestampOf } from "../parts/checks.ts";
import type { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { useOdis } from "../session.tsx";
import { roleField } from "./team-dialogs.tsx";

const fields: readonly Field[] = [
  { name: "name", label: "Name", hint: "The program that uses the key, such as Warehouse." },
  roleField,
  {
    name: "expires_at",
    label: "Expires",
    kind: "time",
    isOptional: true,
    hint: "After a year at most. If it is empty, after a year.",
  },
];

type CreateProps = {
  readonly communityId: number;
  readonly onKey: (created: ApiKeyWithKey) => void;
  readonly onClose: () => void;
};

export function CreateKey({ communityId, onKey, onClose }: CreateProps) {
  const odis = useOdis();
  const path = { community_id: communityId };
  return (
    <FormDialog
      title="Create an API key"
      fields={fields}
      opened={{ values: { name: "", role: "viewer", expires_at: "" } }}
      submit="Create the key"
      explain={() => <p>Whoever has the key can do what its role allows. It is shown once, after this step.</p>}
      check={({ name, expires_at }) => ({
        name: nameError(name),
        expires_at: expires_at ? timeError(expires_at) : undefined,
      })}
      done="The API key was created."
      send={async (_, header, { name, role, expires_at }) => {
        return odis.request("post", "/odis/v1/communities/{community_id}/api_keys", {
          params: { path, header },
          body: {
            api_key: {
              name: String(name).trim(),
              role: String(role) as ApiKey["role"],
              ...(expires_at && { expires_at: timestampOf(expires_at) ?? "" }),
            },
          },
        });
      }}
      hasSecret={async ({ data: { id, key } }) => {
        const params = { path, query: { per: 100 } };
        const { data } = await odis.get("/odis/v1/communities/{community_id}/api_keys", { params });
        return data.some((stored) => stored.id === id && key.endsWith(stored.hint));
      }}
      onDone={(response) => response && onKey(response.data)}
      onClose={onClose}
    />
  );
}

export function RevokeKey({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const odis = useOdis();
  const { id, name } = apiKey;
  return (
    <FormDialog
      title={`Revoke ${name}`}
      opened={{ values: {} }}
      submit="Revoke the key"
      tone="danger"
      explain={() => <p>Requests with this key are refused from now on. This cannot be undone.</p>}
      done={`${name} was revoked.`}
      send={async () => {
        await odis.delete("/odis/v1/api_keys/{id}", { params: { path: { id } } }).catch(ignoreMissing);
      }}
      onClose={onClose}
    />
  );
}
