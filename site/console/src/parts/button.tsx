import type { ComponentChildren } from "preact";

type Props = {
  readonly children: ComponentChildren;
  readonly onClick?: () => void;
  readonly tone?: "plain" | "primary" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  /** Whether the action is running. The button then keeps its focus, but does nothing. */
  readonly isRunning?: boolean;
  readonly isDisabled?: boolean;
  /** Text for screen readers, if the visible text is not sufficient. Must begin with that text. */
  readonly label?: string | undefined;
};

export function Button({ children, onClick, tone = "plain", type = "button", isRunning, isDisabled, label }: Props) {
  return (
    <button
      type={type}
      class={`button ${tone}`}
      aria-disabled={isRunning ? "true" : undefined}
      aria-busy={isRunning ? "true" : undefined}
      disabled={isDisabled}
      aria-label={label}
      onClick={isRunning ? undefined : onClick}
    >
      {isRunning && <span class="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  return (
    <a class="button plain" href={href}>
      {children}
    </a>
  );
}
