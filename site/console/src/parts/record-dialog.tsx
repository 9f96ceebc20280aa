import type { ComponentProps } from "preact";
import { useLoad } from "../data/use-load.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { Loaded } from "./states.tsx";
import type { Opened } from "./values.ts";

type Props = Omit<ComponentProps<typeof FormDialog>, "opened" | "reread"> & { readonly read: () => Promise<Opened> };

/** A form for a record. Reads the record first, so that the form begins with the stored values. */
export function RecordDialog({ read, ...form }: Props) {
  const { title, onClose } = form;
  const load = useLoad(read, []);
  if (load.data !== undefined) return <FormDialog {...form} opened={load.data} reread={read} />;
  return (
    <Dialog title={title} onClose={onClose}>
      <Loaded what="the current version" of={load}>
        {() => null}
      </Loaded>
      <div class="actions end">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
