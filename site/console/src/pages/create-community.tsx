import { FormDialog } from "../parts/form-dialog.tsx";
import { goTo, linkTo } from "../router.ts";
import { useOdis } from "../session.tsx";

export function CreateCommunity({ onClose }: { readonly onClose: () => void }) {
  const odis = useOdis();
  return (
    <FormDialog
      title="Create a community"
      fields={[
        { name: "name", label: "Name" },
        { name: "owner_id", label: "User id of the owner", kind: "number", hint: "It is on the owner's account page." },
      ]}
      opened={{ values: { name: "", owner_id: "" } }}
      submit="Create the community"
      done="The community was created."
      explain={() => <p>It is listed at once. People can join when it has a tier.</p>}
      check={({ owner_id }) => ({
        owner_id: /^[1-9]\d{0,15}$/.test(String(owner_id).trim()) ? undefined : "Enter a number, such as 17.",
      })}
      send={async (_, header, { name, owner_id }) => {
        const community = { name: String(name), owner_id: Number(owner_id) };
        const { id } = await odis.post("/odis/v1/communities", { body: { community }, params: { header } });
        goTo(linkTo(["communities", id]));
      }}
      onClose={onClose}
    />
  );
}
