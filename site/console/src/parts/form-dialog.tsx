import type { ComponentProps } from "preact";
import { announce } from "./announce.tsx";
import { Dialog } from "./dialog.tsx";
import { Form } from "./form.tsx";

type Props = Omit<ComponentProps<typeof Form>, "onCancel" | "onSent" | "draft"> & {
  readonly title: string;
  readonly onClose: () => void;
  /** Called once the request has succeeded, to show what it changed. */
  readonly onDone?: () => void;
  /** Announcement of the completed action. */
  readonly done: string;
};

/** A form in a dialog. It closes once the request has succeeded. */
export function FormDialog({ title, onClose, onDone, done, ...form }: Props) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        {...form}
        draft={title}
        onCancel={onClose}
        onSent={() => {
          onDone?.();
          onClose();
          announce(done);
        }}
      />
    </Dialog>
  );
}
