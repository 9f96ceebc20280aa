import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

type Props = {
  readonly title: string;
  /** Above the title. */
  readonly before?: ComponentChildren;
  readonly lead?: ComponentChildren;
  readonly kind?: "wide" | "narrow";
  readonly children?: ComponentChildren;
};

/** A page with its heading, which gets the focus so that screen readers announce the page. */
export function Page({ title, before, lead, kind = "wide", children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Fan Club`;
    heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <div class={`page ${kind}`}>
      {before}
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {lead && <p class="lead">{lead}</p>}
      {children}
    </div>
  );
}
