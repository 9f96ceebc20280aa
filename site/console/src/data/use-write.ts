import { useRef, useState } from "preact/hooks";
import { isSignedOut, useSession } from "../session.tsx";
import type { Pending } from "./drafts.ts";

/** Headers of a write: the same key for the same request until it succeeds, and the version that the person saw. */
export type WriteHeaders = { readonly "Idempotency-Key": string; readonly "If-Match"?: string };

export type Write = {
  readonly isRunning: boolean;
  readonly error?: unknown;
  readonly clear: () => void;
  /**
   * Sends a request. A repetition of the same request after a failure has the same `Idempotency-Key`, so it cannot take
   * effect twice.
   *
   * @param body the body of the request, which identifies a repetition
   * @returns whether it succeeded
   */
  readonly run: (
    body: unknown,
    etag: string | undefined,
    send: (headers: WriteHeaders) => Promise<void>,
  ) => Promise<boolean>;
};

type Options = {
  /** A request of an earlier form. It is repeated with its key. */
  readonly pending?: Pending | undefined;
  /** Called before a request is sent. */
  readonly onSend?: (pending: Pending) => void;
};

export function useWrite({ pending, onSend }: Options = {}): Write {
  const { end } = useSession();
  const [state, setState] = useState<{ readonly isRunning: boolean; readonly error?: unknown }>({ isRunning: false });
  const attempt = useRef<Pending>(pending ?? { body: "", key: "" });

  const run: Write["run"] = async (body, etag, send) => {
    const text = JSON.stringify(body);
    if (attempt.current.body !== text) attempt.current = { body: text, key: crypto.randomUUID() };
    onSend?.(attempt.current);
    setState({ isRunning: true });
    try {
      await send({ "Idempotency-Key": attempt.current.key, ...(etag !== undefined && { "If-Match": etag }) });
      attempt.current = { body: "", key: "" };
      setState({ isRunning: false });
      return true;
    } catch (error) {
      if (isSignedOut(error)) void end({ hasEnded: true });
      setState({ isRunning: false, error });
      return false;
    }
  };
  return { ...state, run, clear: () => setState({ isRunning: false }) };
}

/** The header of a write that takes no `Idempotency-Key`. */
export const ifMatch = ({ "If-Match": etag }: WriteHeaders) => (etag === undefined ? {} : { "If-Match": etag });
