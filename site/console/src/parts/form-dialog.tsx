import type { ComponentProps } from "preact";
import type { OdisResponse } from "../data/odis.ts";
import { reloadAll } from "../data/use-load.ts";
import { announce } from "./announce.tsx";
import { Dialog, useIsShown } from "./dialog.tsx";
import { Form } from "./form.tsx";

type Props<R extends OdisResponse<unknown> | void> = Omit<
  ComponentProps<typeof Form<R>>,
  "onCancel" | "onSent" | "draft"
> & {
  readonly title: string;
  /** Id of the record, for a page with forms of several records, whose titles can be equal. */
  readonly id?: number | string;
  readonly onClose: () => void;
  /** Called once the request has succeeded, to show what it changed. */
  readonly onDone?: (response: R | undefined) => void;
  /** Announcement of the completed action. */
  readonly done: string;
};

/** A form in a dialog. It closes once the request has succeeded. */
export function FormDialog<R extends OdisResponse<unknown> | void>({
  title,
  id = "",
  onClose,
  onDone,
  done,
  ...form
}: Props<R>) {
  const isShown = useIsShown();
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        {...form}
        draft={`${title}.${id}`}
        onCancel={onClose}
        onSent={(response) => {
          onDone?.(response);
          // A page reloads its list in onClose, which would close the dialog that the person has opened in the meantime.
          if (isShown.current) onClose();
          else reloadAll();
          announce(done);
        }}
      />
    </Dialog>
  );
}
