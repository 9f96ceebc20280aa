import { personWith } from "../data/find-person.ts";
import { emailError, nameError } from "../parts/checks.ts";
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
        {
          name: "email",
          label: "Email of the owner",
          kind: "email",
          hint: "Of their account. They must have signed in once.",
        },
      ]}
      opened={{ values: { name: "", email: "" } }}
      submit="Create the community"
      done="The community was created."
      explain={() => <p>It is listed immediately. People can join once it has a tier.</p>}
      check={({ name, email }) => ({ name: nameError(name), email: emailError(email) })}
      send={async (_, header, { name, email }) => {
        const owner = await personWith(odis, String(email));
        const community = { name: String(name).trim(), owner_id: owner.id };
        return odis.request("post", "/odis/v1/communities", { body: { community }, params: { header } });
      }}
      onDone={(response) => response && goTo(linkTo(["communities", response.data.id]))}
      onClose={onClose}
    />
  );
}
