import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { draftOf } from "../data/drafts.ts";
import { fieldErrors, isConflict, problemText } from "../data/problem-text.ts";
import { useWrite, type WriteHeaders } from "../data/use-write.ts";
import { useSession } from "../session.tsx";
import { Button } from "./button.tsx";
import { Conflict } from "./conflict.tsx";
import { type Field, FieldInput } from "./field.tsx";
import { Notice } from "./states.tsx";
import { changesOf, isSame, isSaved, mergeOf, type Opened, type Values } from "./values.ts";

type Props = {
  /** Empty for a form that only asks for confirmation. */
  readonly fields?: readonly Field[];
  readonly opened: Opened;
  readonly submit: string;
  readonly tone?: "primary" | "danger";
  /** Explains the effect of the current values on the record, whose values are in `base`. */
  readonly explain?: (values: Values, base: Values) => ComponentChildren;
  /** Errors by field that are found before the request is sent. */
  readonly check?: (values: Values) => Readonly<Record<string, string | undefined>>;
  /** Sends the request. `changed` has the fields that the person changed. */
  readonly send: (changed: Values, headers: WriteHeaders, values: Values) => Promise<void>;
  /** Called once the request has succeeded. */
  readonly onSent?: () => void;
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
export function Form({
  fields = [],
  opened,
  submit,
  tone = "primary",
  explain,
  check,
  send,
  onSent,
  reread,
  onCancel,
  onEnter,
  draft: form,
  cancel = "Close",
}: Props) {
  const { me } = useSession();
  const [draft] = useState(() => {
    const isKept = form !== undefined && fields.length > 0;
    return isKept && me?.user ? draftOf(me.user.id, form) : undefined;
  });
  const [restored, setRestored] = useState(() => draft?.find());
  const [base, setBase] = useState(restored?.base ?? opened);
  const [values, setValues] = useState(restored?.values ?? opened.values);
  const [theirs, setTheirs] = useState<Opened>();
  const [found, setFound] = useState<ReadonlyMap<string, string>>(new Map());
  const write = useWrite({
    pending: restored?.pending,
    onSend: (pending) => draft?.keep({ base, values, pending }),
  });
  const element = useRef<HTMLFormElement>(null);

  const errors = new Map([...fieldErrors(write.error), ...found]);
  const shown = fields.filter(({ name }) => errors.has(name));
  useEffect(() => {
    if (errors.size > 0 || write.error !== undefined)
      element.current?.querySelector<HTMLElement>('[aria-invalid="true"], .form-error')?.focus();
  }, [found, write.error]);

  const finish = (): void => {
    draft?.forget();
    onSent?.();
  };
  const save = async (mine: Values, on: Opened): Promise<void> => {
    const changed = changesOf(mine, on.values);
    const wrong = Object.entries(check?.(mine) ?? {}).filter((entry): entry is [string, string] => Boolean(entry[1]));
    setFound(new Map(wrong));
    if (wrong.length > 0) return write.clear();
    await write.run([mine, on.etag], on.etag, async (headers) => {
      try {
        await send(changed, headers, mine);
      } catch (error) {
        if (!isConflict(error) || !reread) throw error;
        const current = await reread();
        // If the values are equal, there is no conflict to resolve, and the form is sent with the new version.
        if (isSame(current.values, on.values)) setBase(current);
        // An earlier attempt whose response was lost has saved the changes.
        else if (isSaved(changed, current.values)) return finish();
        else setTheirs(current);
        throw error;
      }
      finish();
    });
  };
  const enter = (entered: Values): void => {
    setValues(entered);
    onEnter?.(entered);
    if (isSame(entered, base.values)) draft?.forget();
    else draft?.keep({ base, values: entered });
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
      {restored && <Restored onDiscard={discard} />}
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
      {write.error !== undefined && !write.isRunning && shown.length === 0 && (
        <div class="form-error" tabIndex={-1}>
          <Notice tone="danger" role="alert" title={problemText(write.error)} />
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

/** Says that the form shows what was entered earlier. */
export const Restored = ({ onDiscard }: { readonly onDiscard: () => void }) => (
  <Notice tone="info" title="You entered this earlier, and did not save it.">
    <Button onClick={onDiscard}>Discard</Button>
  </Notice>
);
