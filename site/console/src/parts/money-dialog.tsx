import type { ComponentChildren, ComponentProps } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isRefusal } from "../../../../client/problem.ts";
import { type Attempt, attemptsAt, canCheck, noVersion } from "../data/attempts.ts";
import { draftOf } from "../data/drafts.ts";
import { isConflict, problemText } from "../data/problem-text.ts";
import { useWrite, type WriteHeaders } from "../data/use-write.ts";
import { timeOf } from "../format.ts";
import { useSession } from "../session.tsx";
import { announce } from "./announce.tsx";
import { Button } from "./button.tsx";
import { Dialog, useIsShown } from "./dialog.tsx";
import { Form, Restored } from "./form.tsx";
import { Notice } from "./states.tsx";
import { changesOf, type Opened, type Values } from "./values.ts";

type Words<B> = {
  /** Announcement of the completed action. */
  readonly done: string;
  /** Text that the outcome of a request is unknown. */
  readonly unknown: (body: B) => string;
  /** Explains the check of a request. */
  readonly check: string;
  /** Text that a request had no effect. */
  readonly notDone: string;
};

type Props<B> = Pick<ComponentProps<typeof Form>, "fields" | "submit" | "explain" | "check"> & {
  readonly title: string;
  /** The action and its object. An attempt with an unknown outcome is stored under this name. */
  readonly subject: string;
  readonly opened: Opened;
  /** The names of the fields that are kept until the action succeeds. What decides about money is entered again. */
  readonly kept: readonly string[];
  readonly words: Words<B>;
  /** Shown above the form. */
  readonly children?: ComponentChildren;
  /** Whether the action is no longer possible. */
  readonly isOver: boolean;
  readonly bodyOf: (values: Values) => B;
  readonly post: (body: B, headers: WriteHeaders) => Promise<unknown>;
  /** Rereads the object of the dialog, and renders the dialog with it. */
  readonly reread: () => Promise<void>;
  /** The form's values after a refusal, from the values that the person entered. */
  readonly startAgain: (entered: Values) => Values;
  readonly onClose: () => void;
  /** Reloads the page behind the dialog. */
  readonly refresh: () => void;
};

type Refused = { readonly entered: Values; readonly title: string; readonly text?: string };

/**
 * A dialog for an action that must not take effect twice. If the response to a request is lost, the only possible
 * action is to check its outcome, here or in another tab. If somebody else has changed the record, the form starts
 * again with the current state.
 */
export function MoneyDialog<B>({
  title,
  subject,
  opened: { values: initial, etag: version },
  kept,
  words,
  children,
  isOver,
  bodyOf,
  post,
  reread,
  startAgain,
  onClose,
  refresh,
  ...form
}: Props<B>) {
  const userId = useSession().me?.user?.id ?? 0;
  const attempts = attemptsAt<B>(userId, subject);
  const draft = draftOf<Values>(userId, subject);
  const [isRestored, setIsRestored] = useState(() => draft.find() !== undefined);
  const opened = { ...initial, ...draft.find() };
  const [unknown, setUnknown] = useState(attempts.find);
  const [refused, setRefused] = useState<Refused>();
  const [round, setRound] = useState(0);
  const isShown = useIsShown();
  const close = (): void => {
    if (attempts.find()) refresh();
    onClose();
  };

  const settle = async (attempt: Attempt<B>, etag: string | undefined): Promise<void> => {
    try {
      await post(attempt.body, { "Idempotency-Key": attempt.key, ...(etag !== undefined && { "If-Match": etag }) });
    } catch (error) {
      if (isRefusal(error)) attempts.forget(attempt);
      else setUnknown(attempt);
      refresh();
      throw error;
    }
    attempts.forget(attempt);
    draft.forget();
    refresh();
    if (isShown.current) onClose();
    announce(words.done);
  };
  const begin = (next: Refused): void => {
    setUnknown(undefined);
    setRefused(next);
    setRound((count) => count + 1);
  };
  const send = async (entered: Values, headers: WriteHeaders): Promise<void> => {
    const pending = attempts.find();
    if (pending) return setUnknown(pending);
    const attempt = { key: headers["Idempotency-Key"], body: bodyOf(entered), at: new Date().toISOString() };
    attempts.keep(attempt);
    try {
      await settle(attempt, headers["If-Match"]);
    } catch (error) {
      if (!isConflict(error)) throw error;
      // If the reread fails, the form keeps the old version and is refused again.
      await reread().catch(() => {
        throw error;
      });
      const text = "Something changed after you opened this dialog. Check it, then decide again.";
      begin({ entered, title: words.notDone, text });
    }
  };
  const check = async (attempt: Attempt<B>): Promise<void> => {
    if (!canCheck(attempt)) {
      await reread();
      const text = "Too much time has passed to check it. Look at what is shown now, then decide again.";
      return begin({ entered: opened, title: words.unknown(attempt.body), text });
    }
    try {
      await settle(attempt, noVersion);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await reread().catch(() => undefined);
      begin({ entered: opened, title: words.notDone, ...(!isConflict(error) && { text: problemText(error) }) });
    }
  };

  if (unknown)
    return (
      <Dialog title={title} onClose={close}>
        <Unknown title={words.unknown(unknown.body)} onClose={close} onCheck={() => check(unknown)}>
          The request was sent on {timeOf(unknown.at)}, but no answer arrived. {words.check}
        </Unknown>
      </Dialog>
    );
  const keep = (entered: Values): void => {
    const changed = Object.entries(changesOf(entered, initial)).filter(([name]) => kept.includes(name));
    if (changed.length === 0) draft.forget();
    else draft.tryToKeep(Object.fromEntries(changed));
  };
  const discard = (): void => {
    draft.forget();
    setIsRestored(false);
    setRound((count) => count + 1);
  };
  return (
    <Dialog title={title} onClose={close}>
      {refused && (
        <Told key={round}>
          <Notice tone="warning" role="alert" title={refused.title}>
            {refused.text && <p>{refused.text}</p>}
          </Notice>
        </Told>
      )}
      {children}
      {isRestored && !refused && !isOver && <Restored onDiscard={discard} />}
      {isOver ? (
        <div class="actions end">
          <Button onClick={close}>Close</Button>
        </div>
      ) : (
        <Form
          key={`form ${round}`}
          {...form}
          opened={{ values: refused ? startAgain(refused.entered) : opened, etag: version }}
          onEnter={keep}
          tone="danger"
          onCancel={close}
          send={async (_, headers, entered) => send(entered, headers)}
        />
      )}
    </Dialog>
  );
}

/** Takes the focus when it appears. */
function Told({ children }: { readonly children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.focus(), []);
  return (
    <div ref={element} class="form-error" tabIndex={-1}>
      {children}
    </div>
  );
}

type UnknownProps = {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onCheck: () => Promise<void>;
  readonly onClose: () => void;
};

function Unknown({ title, children, onCheck, onClose }: UnknownProps) {
  const write = useWrite();
  return (
    <div class="form">
      <Told>
        <Notice tone="warning" role="alert" title={title}>
          <p>{children}</p>
        </Notice>
      </Told>
      {write.error !== undefined && !write.isRunning && (
        <Notice tone="danger" role="alert" title={problemText(write.error)} />
      )}
      <div class="actions end">
        <Button onClick={onClose}>Close</Button>
        <Button
          tone="primary"
          isRunning={write.isRunning}
          onClick={() => void (!write.isRunning && write.run("check", undefined, onCheck))}
        >
          Check
        </Button>
      </div>
    </div>
  );
}
