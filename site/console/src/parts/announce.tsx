import { useEffect, useState } from "preact/hooks";

type Message = { readonly id: number; readonly text: string };

const shown = new EventTarget();
let last = 0;

/** Announces a completed action, on the screen and to screen readers. */
export function announce(text: string): void {
  last += 1;
  shown.dispatchEvent(new CustomEvent("announce", { detail: { id: last, text } }));
}

/** Shows the last announcement for eight seconds. */
export function Announcements() {
  const [message, setMessage] = useState<Message>();
  useEffect(() => {
    const show = (event: Event): void => setMessage((event as CustomEvent<Message>).detail);
    shown.addEventListener("announce", show);
    return () => shown.removeEventListener("announce", show);
  }, []);
  useEffect(() => {
    if (!message) return;
    const timer = setTimeout(() => setMessage(undefined), 8000);
    return () => clearTimeout(timer);
  }, [message]);
  return (
    <div class="announcements" role="status" aria-live="polite">
      {message && (
        <p key={message.id} class="announcement">
          {message.text}
        </p>
      )}
    </div>
  );
}
