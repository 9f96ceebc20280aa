import type { ComponentChildren } from "preact";
import { useLoad } from "../data/use-load.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Loaded } from "./states.tsx";

type Props<T> = {
  readonly title: string;
  readonly read: () => Promise<T>;
  readonly onClose: () => void;
  readonly children: (opened: T) => ComponentChildren;
};

/** Reads a record before its form is shown, so that the form begins with what is saved now. */
export function OpenedDialog<T>({ title, read, onClose, children }: Props<T>) {
  const load = useLoad(read, []);
  if (load.data !== undefined) return <>{children(load.data)}</>;
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
