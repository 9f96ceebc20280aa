import type { ComponentChildren } from "preact";
import { messageOf } from "../session.tsx";

type NoticeProps = { readonly kind?: "info" | "good" | "bad"; readonly children: ComponentChildren };

export const Notice = ({ kind = "info", children }: NoticeProps) => (
  <div class={`notice ${kind}`} role={kind === "bad" ? "alert" : "status"}>
    {children}
  </div>
);

type FailureProps = { readonly title: string; readonly error: unknown; readonly onRetry?: () => void };

/** In the place of what could not be loaded. */
export const Failure = ({ title, error, onRetry }: FailureProps) => (
  <div class="empty" role="alert">
    <h2>{title}</h2>
    <p>{messageOf(error)}</p>
    {onRetry && (
      <button type="button" class="button" onClick={onRetry}>
        Try again
      </button>
    )}
  </div>
);

type EmptyProps = { readonly title: string; readonly children: ComponentChildren };

export const Empty = ({ title, children }: EmptyProps) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
);

/** In the place of what is being loaded. */
export const Skeleton = ({ label, count = 1, kind = "card" }: { label: string; count?: number; kind?: string }) => (
  <div class={`skeletons ${kind}`} role="status" aria-label={label}>
    {Array.from({ length: count }, (_, n) => (
      <div key={n} class="skeleton" />
    ))}
  </div>
);
