import type { ComponentChildren } from "preact";
import { problemText } from "../data/problem-text.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

/** Placeholder lines during loading. */
export function Skeleton({ lines = 3, what }: { readonly lines?: number; readonly what: string }) {
  return (
    <div class="skeleton" role="status">
      <span class="hidden">Loading {what}</span>
      {Array.from({ length: lines }, (_, n) => (
        <span key={n} class="skeleton-line" />
      ))}
    </div>
  );
}

type NoticeProps = {
  readonly title: string;
  readonly tone?: "info" | "warning" | "danger";
  readonly children?: ComponentChildren;
  readonly role?: "alert" | "status";
};

export function Notice({ title, tone = "info", role, children }: NoticeProps) {
  return (
    <div class={`notice ${tone}`} {...(role && { role })}>
      <p class="notice-title">{title}</p>
      {children}
    </div>
  );
}

/** An error with a button that tries again. */
export function Failure({ what, error, onRetry }: { what: string; error: unknown; onRetry: () => void }) {
  return (
    <Notice tone="danger" role="alert" title={`Could not load ${what}`}>
      <p>{problemText(error)}</p>
      <Button onClick={onRetry}>Try again</Button>
    </Notice>
  );
}

type EmptyProps = { readonly title: string; readonly icon?: IconName; readonly children?: ComponentChildren };

/** The place of records that there are none of, and what makes the first one. */
export function Empty({ title, icon, children }: EmptyProps) {
  return (
    <div class="empty">
      {icon && <Icon name={icon} />}
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

export type Load<T> = {
  /** The data loaded last. Kept during a reload. */
  readonly data?: T;
  readonly error?: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
  readonly setData: (data: T) => void;
};

type LoadedProps<T> = {
  readonly what: string;
  readonly of: Omit<Load<T>, "setData">;
  readonly lines?: number;
  readonly children: (data: T) => ComponentChildren;
};

/** Shows loaded data, placeholder lines during loading, or an error. */
export function Loaded<T>({ what, of: { data, error, isLoading, reload }, lines = 4, children }: LoadedProps<T>) {
  return (
    <>
      {error !== undefined && !isLoading && <Failure what={what} error={error} onRetry={reload} />}
      {data === undefined && isLoading && <Skeleton lines={lines} what={what} />}
      {data !== undefined && children(data)}
    </>
  );
}
