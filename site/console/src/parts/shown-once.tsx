import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Notice } from "./states.tsx";

type Props = {
  readonly title: string;
  /** What the value is: `secret`. */
  readonly noun: string;
  readonly value: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
};

/** A dialog with a value that is never shown again. */
export function ShownOnce({ title, noun, value, children, onClose }: Props) {
  const [told, setTold] = useState("");
  const copy = (): void => {
    const refused = `The browser does not allow copying. Select the ${noun} and copy it.`;
    // Pages without https have no clipboard.
    void (async () => navigator.clipboard.writeText(value))().then(
      () => setTold(`The ${noun} was copied.`),
      () => setTold(refused),
    );
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="form">
        <Notice tone="warning" title={`Copy the ${noun} now. It is never shown again.`}>
          {children}
        </Notice>
        <p class="secret">
          <code>{value}</code>
        </p>
        <p class="muted" role="status">
          {told}
        </p>
        <div class="actions end">
          <Button onClick={copy}>Copy the {noun}</Button>
          <Button tone="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
