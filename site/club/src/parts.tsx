import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useClub } from "./context.ts";
import { messageOf } from "./texts.ts";

type Props = { readonly children: ComponentChildren };

/** The heading of a view. It gets the focus after a change, so that screen readers announce the view. */
export function Title({ text }: { readonly text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (heading.current?.closest(".used")) heading.current.focus();
  }, [text]);
  return (
    <h2 ref={heading} tabIndex={-1}>
      {text}
    </h2>
  );
}

export const Notice = ({ kind = "", children }: Props & { readonly kind?: string | undefined }) => (
  <p class={`notice ${kind}`} role={kind === "bad" ? "alert" : undefined}>
    {children}
  </p>
);

/** A notice about an error, if there is one. */
export const Failed = ({ error }: { readonly error: unknown }) =>
  error === undefined ? null : <Notice kind="bad">{messageOf(error)}</Notice>;

type FailureProps = { readonly title: string; readonly error: unknown; readonly onRetry: () => void };

/** In the place of what could not be loaded. */
export const Failure = ({ title, error, onRetry }: FailureProps) => (
  <div role="alert">
    <h2>{title}</h2>
    <p>{messageOf(error)}</p>
    <button type="button" onClick={onRetry}>
      Try again
    </button>
  </div>
);

/** In the place of what is being loaded. */
export const Loading = ({ label }: { readonly label: string }) => (
  <div class="loading" role="status" aria-label={label} />
);

/** Runs an act of a person, and knows whether it is running and how it failed. */
function useAction<A extends unknown[]>(act: (...args: A) => Promise<unknown>) {
  const [state, setState] = useState<{ isRunning?: true; isDone?: true; error?: unknown; result?: unknown }>({});
  const run = async (...args: A): Promise<void> => {
    // A button that is disabled would lose the focus.
    if (state.isRunning) return;
    setState({ isRunning: true });
    try {
      setState({ result: await act(...args), isDone: true });
    } catch (error) {
      setState({ error });
    }
  };
  return { ...state, run };
}

type ActionProps = Props & {
  readonly class?: string;
  readonly onClick: () => Promise<unknown>;
  /** Shown when the act is done. */
  readonly done?: string;
};

/** A button with the error of its act. */
export function Action({ class: kind, onClick, done, children }: ActionProps) {
  const { reload } = useClub();
  const { isRunning, isDone, error, run } = useAction(() =>
    onClick().catch((failure: unknown) => {
      // The act may have had its effect, or what is shown is no longer true.
      reload();
      throw failure;
    }),
  );
  const button = useRef<HTMLButtonElement>(null);
  // If the act removes its button, the heading gets the focus.
  useLayoutEffect(
    () => () => {
      const own = button.current;
      if (own?.matches(":focus")) own.closest("details,.club")?.querySelector<HTMLElement>("summary,h2")?.focus();
    },
    [],
  );
  return (
    <>
      <button ref={button} type="button" class={kind} aria-disabled={isRunning} onClick={() => void run()}>
        {children}
      </button>
      <Failed error={error} />
      {done && <span role="status">{isDone && done}</span>}
    </>
  );
}

/** A button that only changes what is shown. */
export const Link = ({ onClick, children }: Props & { readonly onClick: () => void }) => (
  <button type="button" class="link" onClick={onClick}>
    {children}
  </button>
);

type FormProps = Props & {
  readonly button: string;
  /** Gets the fields by their names. Returns a text to show when it is done. What it throws is shown above the fields. */
  readonly onSubmit: (fields: Record<string, string>) => Promise<unknown>;
};

export function Form({ button, onSubmit, children }: FormProps) {
  const { isRunning, error, result, run } = useAction(onSubmit);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void run(Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement)) as Record<string, string>);
  };
  return (
    <form onSubmit={submit}>
      <Failed error={error} />
      {children}
      <button type="submit" aria-disabled={isRunning}>
        {button}
      </button>
      <p role="status">{typeof result === "string" && result}</p>
    </form>
  );
}

type FieldProps = {
  readonly label: string;
  readonly name: string;
  readonly type?: "text" | "email" | "password";
  readonly autoComplete: string;
  readonly hint?: string;
  readonly value?: string | undefined;
};

function Field({ label, name, type = "text", autoComplete, hint, value }: FieldProps) {
  // Preact's types have a variant for each type of input, and none for a choice of them.
  const kind = type as "text";
  return (
    <p class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={kind}
        autoComplete={autoComplete}
        defaultValue={value}
        // Only names have a value, and a name can be removed.
        required={value === undefined}
        aria-describedby={hint && `${name}-hint`}
        {...(autoComplete === "one-time-code" && { inputMode: "numeric", pattern: "[0-9]{6}", maxLength: 6 })}
      />
      {hint && <small id={`${name}-hint`}>{hint}</small>}
    </p>
  );
}

export const Code = ({ label = "Code of six digits", name = "code" }) => (
  <Field label={label} name={name} autoComplete="one-time-code" />
);

type PasswordProps = { readonly label?: string; readonly name?: string; readonly isNew?: boolean };

export const Password = ({ label = "Password", name = "password", isNew = false }: PasswordProps) => (
  <Field
    label={label}
    name={name}
    type="password"
    autoComplete={isNew ? "new-password" : "current-password"}
    {...(isNew && { hint: "At least 12 characters, with a capital letter, a small letter and a digit." })}
  />
);

export const Email = ({ label = "E-mail", autoComplete = "username", name = "email" }) => (
  <Field label={label} name={name} type="email" autoComplete={autoComplete} />
);

export const Names = ({ first, last }: { readonly first?: string | undefined; readonly last?: string | undefined }) => (
  <div class="pair">
    <Field label="First name" name="first" autoComplete="given-name" value={first} />
    <Field label="Last name" name="last" autoComplete="family-name" value={last} />
  </div>
);
