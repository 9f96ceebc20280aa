import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

type Props = {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called when the person presses Escape. */
  readonly onClose: () => void;
};

/** A modal dialog. The browser keeps the focus in it, and gives it back to the button that opened it. */
export function Dialog({ title, children, onClose }: Props) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** Whether the component is still shown, for an answer that arrives after the person has closed a dialog. */
export function useIsShown(): { readonly current: boolean } {
  const isShown = useRef(true);
  useLayoutEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  return isShown;
}
