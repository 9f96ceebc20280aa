import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Tone } from "./tone.ts";

type Props = {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly picture?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly back?: { readonly href: string; readonly text: string };
  readonly children: ComponentChildren;
};

/** Whether the person has moved from one page to another, so that the focus goes to the new one. */
let hasShownPage = false;

/** A page: its title is the document's, and gets the focus when the person comes from another page. */
export function Page({ title, lead, picture, actions, back, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hasShownPage) heading.current?.focus();
    hasShownPage = true;
    scrollTo(0, 0);
  }, []);
  useEffect(() => {
    document.title = `${title} · Odis console`;
  }, [title]);
  return (
    <div class="page">
      {back && (
        <a class="back" href={back.href}>
          {back.text}
        </a>
      )}
      <header class="page-header">
        {picture}
        <div class="page-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

type CardProps = {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** A part of a page with a heading. */
export function Card({ title, actions, children }: CardProps) {
  return (
    <section class="card" aria-label={title}>
      <header class="card-header">
        <h2>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** A list of names and their values. */
export function Facts({ of }: { readonly of: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type BadgeProps = {
  readonly tone: Tone;
  /** Whether the element is shown on narrow screens only. */
  readonly isNarrow?: boolean;
  readonly children: ComponentChildren;
};

export function Badge({ tone, isNarrow = false, children }: BadgeProps) {
  return <span class={`badge ${tone}${isNarrow ? " narrow" : ""}`}>{children}</span>;
}
