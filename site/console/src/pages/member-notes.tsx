import { useState } from "preact/hooks";
import { isErased } from "../data/member-words.ts";
import { Button } from "../parts/button.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Card } from "../parts/page.tsx";
import { type MemberProps, opening, usePatch } from "./member-props.ts";

export function NotesCard(props: MemberProps) {
  const [isOpen, setIsOpen] = useState(false);
  const patch = usePatch(props);
  const { member } = props;
  const { notes } = member.metadata;
  return (
    <Card
      title="Notes"
      actions={
        !isErased(member) && (
          <Button label="Edit the notes" onClick={() => setIsOpen(true)}>
            Edit
          </Button>
        )
      }
    >
      {notes ? <p class="notes">{notes}</p> : <p class="muted">No notes yet. Only the team can see notes.</p>}
      {isOpen && (
        <FormDialog
          title="Notes"
          fields={[
            {
              name: "notes",
              label: "Notes about this member",
              kind: "long",
              isOptional: true,
              hint: "Visible to the owner, managers, support and admins. They are part of the data that the member can request.",
            },
          ]}
          {...opening(props, ({ metadata }) => ({ notes: metadata.notes }))}
          submit="Save the notes"
          done="The notes were saved."
          send={async (_, headers, values) => patch({ metadata: { notes: String(values.notes) || null } }, headers)}
          onClose={() => setIsOpen(false)}
          onDone={props.refresh}
        />
      )}
    </Card>
  );
}
