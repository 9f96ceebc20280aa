import type { ComponentProps } from "preact";
import { useLoad } from "../data/use-load.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { Loaded } from "./states.tsx";
import type { Opened } from "./values.ts";

type Props = Omit<ComponentProps<typeof FormDialog>, "opened" | "reread"> & {
  readonly id: number | string;
  readonly read: () => Promise<Opened>;
};

/** A form for a record. Reads the record first, so that the form begins with the stored values. */
export function RecordDialog({ read, ...form }: Props) {
  const { title, onClose } = form;
  const load = useLoad(read, []);
  if (load.data !== undefined) return <FormDialog {...form} opened={load.data} reread={read} />;
  return <LoadDialog title={title} what="the current version" of={load} onClose={onClose} />;
}

type LoadProps = Omit<ComponentProps<typeof Loaded>, "children"> &
  Pick<ComponentProps<typeof Dialog>, "title" | "onClose">;

/** The dialog of a form whose data is being loaded, or could not be loaded. */
export function LoadDialog({ title, onClose, ...load }: LoadProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Loaded {...load}>{() => null}</Loaded>
      <div class="actions end">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
