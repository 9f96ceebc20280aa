import { useRef, useState } from "preact/hooks";
import { isRefusal } from "../../../../client/problem.ts";
import { isSignedOut, useSession } from "../session.tsx";
import type { Pending } from "./drafts.ts";
import type { OdisResponse } from "./odis.ts";

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
  /** Called when it is known whether a request had its effect. */
  readonly onKnown?: (pending: Pending) => void;
};

/** A repeated request of an earlier form took effect at that time. The effect may have been undone since. */
export class DoneEarlier extends Error {
  constructor() {
    super(
      "This was done when it was sent earlier. It may have been undone since: close this form to check. If you press the button again, it is done again.",
    );
  }
}

/** Whether the API has answered with the stored response of an earlier request. */
export const isReplay = (response: OdisResponse<unknown> | void): boolean =>
  typeof response === "object" && response.headers.has("idempotency-replayed");

export function useWrite({ pending, onSend, onKnown }: Options = {}): Write {
  const { end } = useSession();
  const [state, setState] = useState<{ readonly isRunning: boolean; readonly error?: unknown }>({ isRunning: false });
  const attempt = useRef(pending);

  const run: Write["run"] = async (body, etag, send) => {
    const text = JSON.stringify(body);
    const sent = attempt.current?.body === text ? attempt.current : { body: text, key: crypto.randomUUID() };
    attempt.current = sent;
    onSend?.(sent);
    setState({ isRunning: true });
    try {
      await send({ "Idempotency-Key": sent.key, ...(etag !== undefined && { "If-Match": etag }) });
      attempt.current = undefined;
      onKnown?.(sent);
      setState({ isRunning: false });
      return true;
    } catch (error) {
      if (isRefusal(error) || error instanceof DoneEarlier) {
        attempt.current = undefined;
        onKnown?.(sent);
      }
      if (isSignedOut(error)) void end({ hasEnded: true });
      setState({ isRunning: false, error });
      return false;
    }
  };
  return { ...state, run, clear: () => setState({ isRunning: false }) };
}

/** The header of a write that takes no `Idempotency-Key`. */
export const ifMatch = ({ "If-Match": etag }: WriteHeaders) => (etag === undefined ? {} : { "If-Match": etag });
