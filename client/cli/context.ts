import { UsageError } from "./failures.ts";
import { type Status, withStatus } from "./progress.ts";
import { openPrompt } from "./prompt.ts";
import { type Opened, openApi, type Place } from "./session.ts";
import { detailsOf } from "./table.ts";

/** The options of every command. */
export type Global = Place & { readonly json?: true; readonly quiet?: true; readonly yes?: true };

/** What a command gets from the program that runs it. */
export type Context = Global & {
  readonly open: () => Promise<Opened>;
  /** Whether results are formatted for people: standard output is a terminal, and there is no `--json`. */
  readonly isForPeople: boolean;
  /** Prints a result to standard output: a line for each field, indented JSON in a pipe, or one line with `--json`. */
  readonly print: (value: object) => void;
  /** Waits for work, and shows a status line if it takes longer than a second. */
  readonly waiting: <T>(work: (status: Status) => Promise<T>) => Promise<T>;
  /**
   * Prints a message for people to standard error. Prints nothing with `--json`, so that programs find only errors
   * there.
   */
  readonly note: (text: string) => void;
};

export function contextOf(options: Global, onOpen: (opened: Opened) => void): Context {
  const { json, quiet } = options;
  const isForPeople = !json && process.stdout.isTTY;
  return {
    ...options,
    async open() {
      const opened = await openApi(options);
      onOpen(opened);
      return opened;
    },
    isForPeople,
    print(value) {
      if (isForPeople) console.log(detailsOf(value).join("\n"));
      else console.log(JSON.stringify(value, null, json ? 0 : 2));
    },
    waiting: (work) => withStatus(quiet === true || json === true, work),
    note: (text) => (json ? undefined : console.error(text)),
  };
}

/**
 * The stage of the API: `prod`, `sandbox-anna`, `local`. Undefined for older versions of the API, which do not return
 * it.
 */
export const stageOf = async ({ publicOdis }: Opened): Promise<string> =>
  ((await publicOdis.get("/health")) as { readonly stage?: string }).stage ?? "unknown";

/**
 * Prints the name of the API and its stage before a change.
 * @param action what to confirm, if the action cannot be undone
 * @throws UsageError if the action is not confirmed: there is no terminal and `--yes` is not given, or the answer is no
 */
export async function beforeWrite(opened: Opened, { json, yes, note }: Context, action?: string): Promise<void> {
  const mustAsk = action !== undefined && !yes;
  if (mustAsk && (json || !process.stdin.isTTY))
    throw new UsageError(`"${action}" requires a confirmation. Add --yes to run it without a question`);
  note(`Target: ${opened.apiUrl} (stage ${await stageOf(opened)}), as ${opened.caller}`);
  if (!mustAsk) return;
  const prompt = openPrompt();
  try {
    const answer = await prompt.ask(`${action}. Type yes to continue`);
    if (answer !== "yes") throw new UsageError("Not confirmed. Nothing was changed");
  } finally {
    prompt.close();
  }
}
