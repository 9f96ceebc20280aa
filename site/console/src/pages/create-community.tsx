import { nameError, userIdError } from "../parts/checks.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { goTo, linkTo } from "../router.ts";
import { useOdis } from "../session.tsx";

export function CreateCommunity({ onClose }: { readonly onClose: () => void }) {
  const odis = useOdis();
  return (
    <FormDialog
      title="Create a community"
      fields={[
        { name: "name", label: "Name", maxLength: 120 },
        { name: "owner_id", label: "User id of the owner", kind: "number", hint: "Shown on the owner’s account page." },
      ]}
      opened={{ values: { name: "", owner_id: "" } }}
      submit="Create the community"
      done="The community was created."
      explain={() => <p>It is listed immediately. People can join once it has a tier.</p>}
      check={({ name, owner_id }) => ({ name: nameError(name), owner_id: userIdError(owner_id) })}
      send={async (_, header, { name, owner_id }) => {
        const community = { name: String(name).trim(), owner_id: Number(owner_id) };
        const { id } = await odis.post("/odis/v1/communities", { body: { community }, params: { header } });
        goTo(linkTo(["communities", id]));
      }}
      onClose={onClose}
    />
  );
}
