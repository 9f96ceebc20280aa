/** A part of an SDK that a function has no use for. */
export type Cut = {
  /** Why a function is as well off without it, on Lambda, in `sam local` and in the local stack. */
  readonly why: string;
  readonly edits: readonly Edit[];
};

/** The text that holds the part, what stands there instead, and how often the text is there, if not once. */
export type Edit = readonly [file: string, find: string | RegExp, put: string, times?: number];
