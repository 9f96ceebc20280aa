import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { fieldErrors, isConflict, problemText } from "../data/problem-text.ts";
import { useWrite, type WriteHeaders } from "../data/use-write.ts";
import { Button } from "./button.tsx";
import { Conflict } from "./conflict.tsx";
import { type Field, FieldInput } from "./field.tsx";
import { Notice } from "./states.tsx";
import { changesOf, isSame, mergeOf, type Opened, type Values } from "./values.ts";

type Props = {
  /** Empty for a form that only asks for confirmation. */
  readonly fields?: readonly Field[];
  readonly opened: Opened;
  readonly submit: string;
  readonly tone?: "primary" | "danger";
  /** Explains the effect of the current values. */
  readonly explain?: (values: Values) => ComponentChildren;
  /** Errors by field that are found before the request is sent. */
  readonly check?: (values: Values) => Readonly<Record<string, string | undefined>>;
  /** Sends the request. `changed` has the fields that the person changed. */
  readonly send: (changed: Values, headers: WriteHeaders, values: Values) => Promise<void>;
  /** Reads the record again after somebody else has changed it. */
  readonly reread?: () => Promise<Opened>;
  readonly onCancel?: () => void;
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
  reread,
  onCancel,
  cancel = "Close",
}: Props) {
  const [base, setBase] = useState(opened);
  const [values, setValues] = useState(opened.values);
  const [theirs, setTheirs] = useState<Opened>();
  const [found, setFound] = useState<ReadonlyMap<string, string>>(new Map());
  const write = useWrite();
  const element = useRef<HTMLFormElement>(null);

  const errors = new Map([...fieldErrors(write.error), ...found]);
  const shown = fields.filter(({ name }) => errors.has(name));
  useEffect(() => {
    if (errors.size > 0 || write.error !== undefined)
      element.current?.querySelector<HTMLElement>('[aria-invalid="true"], .form-error')?.focus();
  }, [found, write.error]);

  const save = async (mine: Values, on: Opened): Promise<void> => {
    const changed = changesOf(mine, on.values);
    const wrong = Object.entries(check?.(mine) ?? {}).filter((entry): entry is [string, string] => Boolean(entry[1]));
    setFound(new Map(wrong));
    if (wrong.length > 0) return write.clear();
    await write.run([mine, on.etag], on.etag, async (headers) => {
      try {
        await send(changed, headers, mine);
      } catch (error) {
        if (isConflict(error) && reread) {
          const current = await reread();
          // If the values are equal, there is no conflict to resolve, and the form is sent with the new version.
          if (isSame(current.values, on.values)) setBase(current);
          else setTheirs(current);
        }
        throw error;
      }
    });
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
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          {...field}
          value={values[field.name] ?? ""}
          error={errors.get(field.name)}
          onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
      {explain && (
        <div class="consequences" aria-live="polite">
          {explain(values)}
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
