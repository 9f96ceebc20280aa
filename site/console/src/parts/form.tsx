import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Draft, draftOf } from "../data/drafts.ts";
import type { OdisResponse } from "../data/odis.ts";
import { fieldErrors, isConflict, problemText } from "../data/problem-text.ts";
import { DoneEarlier, isReplay, useWrite, type WriteHeaders } from "../data/use-write.ts";
import { useSession } from "../session.tsx";
import { Button } from "./button.tsx";
import { Conflict } from "./conflict.tsx";
import { useIsShown } from "./dialog.tsx";
import { type Field, FieldInput } from "./field.tsx";
import { Notice } from "./states.tsx";
import { changesOf, isSame, isSaved, mergeOf, type Opened, type Values } from "./values.ts";

type Props<R> = {
  /** Empty for a form that only asks for confirmation. */
  readonly fields?: readonly Field[];
  readonly opened: Opened;
  readonly submit: string;
  readonly tone?: "primary" | "danger";
  /** Explains the effect of the current values on the record, whose values are in `base`. */
  readonly explain?: (values: Values, base: Values) => ComponentChildren;
  /** Errors by field that are found before the request is sent. */
  readonly check?: (values: Values) => Readonly<Record<string, string | undefined>>;
  /**
   * Sends the request. `changed` has the fields that the person changed. A POST returns its response, which tells whether it
   * was sent earlier.
   */
  readonly send: (changed: Values, headers: WriteHeaders, values: Values) => Promise<R>;
  /** Whether the record still has the secret in an earlier response, which is then accepted. Otherwise no earlier one is. */
  readonly hasSecret?: (response: R) => Promise<boolean>;
  /** Called once the request has succeeded, without a response if an earlier attempt had saved the changes. */
  readonly onSent?: (response: R | undefined) => void;
  /** The values of the record that the request sets, if they are not those of the fields. */
  readonly target?: Values;
  /** Reads the record again after somebody else has changed it. */
  readonly reread?: () => Promise<Opened>;
  readonly onCancel?: () => void;
  /** Called with all values after each change. */
  readonly onEnter?: (values: Values) => void;
  /** Name under which what was entered is kept until it is sent or discarded. Default: it is not kept. */
  readonly draft?: string;
  /** The text of the button that calls `onCancel`. */
  readonly cancel?: string;
};

/** A form that explains its effect, shows errors at their fields, and resolves conflicts with other people's changes. */
export function Form<R extends OdisResponse<unknown> | void>({
  fields = [],
  opened,
  submit,
  tone = "primary",
  explain,
  check,
  send,
  hasSecret,
  onSent,
  target,
  reread,
  onCancel,
  onEnter,
  draft: form,
  cancel = "Close",
}: Props<R>) {
  const { me } = useSession();
  const [draft] = useState(() => {
    const isKept = form !== undefined && fields.length > 0;
    return isKept && me?.user ? draftOf(me.user.id, form) : undefined;
  });
  const [restored, setRestored] = useState(() => draft?.find());
  const isBaseKept = restored !== undefined && !isSame(restored.base.values, opened.values);
  const [base, setBase] = useState(isBaseKept ? restored.base : opened);
  // If the record has changed since, the response of the earlier request says nothing about it.
  const [pending] = useState(restored?.base.etag === opened.etag ? restored?.pending : undefined);
  const [values, setValues] = useState(restored?.values ?? opened.values);
  const [theirs, setTheirs] = useState<Opened>();
  const [found, setFound] = useState<ReadonlyMap<string, string>>(new Map());
  const write = useWrite({
    pending,
    onSend: (sent) => draft?.tryToKeep({ base, values, pending: sent }),
    onKnown: ({ key }) => {
      const kept = draft?.find();
      if (kept?.pending?.key === key) draft?.tryToKeep({ ...kept, pending: undefined });
    },
  });
  const element = useRef<HTMLFormElement>(null);
  const isShown = useIsShown();

  const errors = new Map([...fieldErrors(write.error), ...found]);
  const shown = fields.filter(({ name }) => errors.has(name));
  const others = [...errors].filter(([name]) => !fields.some((field) => field.name === name)).map(([, text]) => text);
  useEffect(() => {
    if (errors.size > 0 || write.error !== undefined)
      element.current?.querySelector<HTMLElement>('[aria-invalid="true"], .form-error')?.focus();
  }, [found, write.error]);

  const forget = (sent: Values): void => {
    // If the person has opened the form again, what they have typed since is kept.
    if (isShown.current || isSame(draft?.find()?.values, sent)) draft?.forget();
    setRestored(undefined);
  };
  const finish = (sent: Values, response?: R): void => {
    forget(sent);
    onSent?.(response);
  };
  const save = async (mine: Values, on: Opened): Promise<void> => {
    const changed = changesOf(mine, on.values);
    const wrong = Object.entries(check?.(mine) ?? {}).filter((entry): entry is [string, string] => Boolean(entry[1]));
    setFound(new Map(wrong));
    if (wrong.length > 0) return write.clear();
    await write.run([mine, on.etag], on.etag, async (headers) => {
      try {
        const response = await send(changed, headers, mine);
        const isEarlier = isReplay(response) && headers["Idempotency-Key"] === pending?.key;
        if (isEarlier && !(await hasSecret?.(response))) throw new DoneEarlier();
        finish(mine, response);
      } catch (error) {
        if (reread && (isConflict(error) || error instanceof DoneEarlier)) {
          const current = await reread();
          // If the values are equal, there is no conflict to resolve, and the form is sent with the new version.
          if (isSame(current.values, on.values)) setBase(current);
          // An earlier attempt whose response was lost has saved the changes.
          else if (isSaved(target ?? changed, current.values)) return finish(mine);
          else setTheirs(current);
        }
        if (error instanceof DoneEarlier) forget(mine);
        throw error;
      }
    });
  };
  const enter = (entered: Values): void => {
    setValues(entered);
    onEnter?.(entered);
    // It is still unknown whether the request was done if the person types the same values again. An edit has a version instead.
    const sent = draft?.find()?.pending;
    if (isSame(entered, base.values) && (sent === undefined || base.etag !== undefined)) draft?.forget();
    else draft?.tryToKeep({ base, values: entered, pending: sent });
  };
  const discard = (): void => {
    draft?.forget();
    setRestored(undefined);
    setBase(opened);
    setValues(opened.values);
    setFound(new Map());
    write.clear();
  };
  const resolve = (mine: Values): void => {
    if (!theirs) return;
    setBase(theirs);
    setValues(mine);
    setTheirs(undefined);
    write.clear();
  };

  if (theirs)
    return (
      <Conflict
        fields={fields}
        base={base.values}
        mine={values}
        theirs={theirs.values}
        onMine={() => {
          const merged = mergeOf({ base: base.values, mine: values, theirs: theirs.values });
          resolve(merged);
          void save(merged, theirs);
        }}
        onTheirs={() => resolve(theirs.values)}
      />
    );
  return (
    <form
      ref={element}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!write.isRunning) void save(values, base);
      }}
    >
      {restored && <Restored isUnknown={isSent(restored)} onDiscard={discard} />}
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          {...field}
          value={values[field.name] ?? ""}
          error={errors.get(field.name)}
          onChange={(value) => enter({ ...values, [field.name]: value })}
        />
      ))}
      {explain && (
        <div class="consequences" aria-live="polite">
          {explain(values, base.values)}
        </div>
      )}
      {write.error !== undefined && !write.isRunning && (shown.length === 0 || others.length > 0) && (
        <div class="form-error" tabIndex={-1}>
          <Notice tone="danger" role="alert" title={others.join(" ") || problemText(write.error)} />
        </div>
      )}
      <div class="actions end">
        {onCancel && <Button onClick={onCancel}>{cancel}</Button>}
        <Button type="submit" tone={tone} isRunning={write.isRunning}>
          {submit}
        </Button>
      </div>
    </form>
  );
}

/** Whether these values of a draft were sent. */
const isSent = ({ base, values, pending }: Draft): boolean => pending?.body === JSON.stringify([values, base.etag]);

type RestoredProps = {
  /** Whether it may have been saved. */
  readonly isUnknown?: boolean;
  readonly onDiscard: () => void;
};

/** Says that the form shows what was entered earlier. */
export const Restored = ({ isUnknown, onDiscard }: RestoredProps) => (
  <Notice
    tone="info"
    title={
      isUnknown
        ? "You entered this earlier. It is not known whether it was saved."
        : "You entered this earlier, and did not save it."
    }
  >
    <Button onClick={onDiscard}>Discard</Button>
  </Notice>
);
