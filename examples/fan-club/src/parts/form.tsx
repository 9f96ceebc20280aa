import type { ComponentChildren } from "preact";
import { messageOf } from "../session.tsx";
import { useAction } from "../use-request.ts";
import { Notice } from "./notice.tsx";

type Props = {
  readonly button: string;
  /** Gets the fields by their names. What it throws is shown above them. */
  readonly onSubmit: (fields: Record<string, string>) => Promise<void>;
  readonly children: ComponentChildren;
};

export function Form({ button, onSubmit, children }: Props) {
  const { isRunning, error, run } = useAction(onSubmit);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    void run(Object.fromEntries([...fields].map(([name, value]) => [name, typeof value === "string" ? value : ""])));
  };
  return (
    <form class="form" onSubmit={submit}>
      {error !== undefined && <Notice kind="bad">{messageOf(error)}</Notice>}
      {children}
      <button type="submit" class="button full" disabled={isRunning} aria-busy={isRunning}>
        {button}
      </button>
    </form>
  );
}
