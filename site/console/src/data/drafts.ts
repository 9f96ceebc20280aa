import type { Opened, Values } from "../parts/values.ts";

/** The key of the last request whose outcome is not known to be a success, and its body. */
export type Pending = { readonly body: string; readonly key: string };

/** What a person has entered in a form and not sent, with the record as it was when they began. */
export type Draft = {
  readonly base: Opened;
  readonly values: Values;
  /** The last request, if it may have had its effect. The values may have changed since. */
  readonly pending?: Pending | undefined;
};

const prefix = "odis.console.draft.";

/**
 * The draft of a person for a form of the current page, or what else the page keeps for them. It is kept for the tab: a closed
 * dialog, the Back button, a reload and an expired session leave it.
 */
export function draftOf<T = Draft>(userId: number, form: string) {
  const name = `${prefix}${userId}.${location.hash.split("?")[0]}.${form}`;
  /** @throws DOMException `QuotaExceededError` if it is larger than what the browser keeps */
  const keep = (draft: T): void => sessionStorage.setItem(name, JSON.stringify(draft));
  return {
    find: (): T | undefined => {
      const text = sessionStorage.getItem(name);
      return text === null ? undefined : (JSON.parse(text) as T);
    },
    keep,
    /** Keeps it if the browser has room for it. */
    tryToKeep: (draft: T): void => {
      try {
        keep(draft);
      } catch {
        // The form can be sent without it.
      }
    },
    forget: (): void => sessionStorage.removeItem(name),
  };
}

/** Removes all drafts, when a person signs out. */
export function removeDrafts(): void {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(prefix)) sessionStorage.removeItem(name);
}
