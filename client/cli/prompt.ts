import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { UsageError } from "./failures.ts";

export type Prompt = {
  /** Asks for a line. A secret is not shown while it is typed. @throws UsageError at the end of the input */
  readonly ask: (question: string, options?: { readonly isSecret?: boolean }) => Promise<string>;
  readonly close: () => void;
};

/** Asks on standard error, and reads one line per answer from standard input. */
export function openPrompt(): Prompt {
  let isHidden = false;
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      if (!isHidden) process.stderr.write(chunk);
      done();
    },
  });
  const isTerminal = process.stdin.isTTY;
  const lines = createInterface({ input: process.stdin, output, terminal: isTerminal });
  const answers = lines[Symbol.asyncIterator]();
  return {
    async ask(question, { isSecret = false } = {}) {
      lines.setPrompt(`${question}: `);
      // If the input is piped, it may have ended before the last question, and `prompt` would fail.
      if (isTerminal) lines.prompt();
      else output.write(lines.getPrompt());
      isHidden = isSecret;
      const { value, done } = await answers.next();
      isHidden = false;
      if (isSecret || !isTerminal) process.stderr.write("\n");
      if (done) throw new UsageError("There was no answer");
      return value.trim();
    },
    close: () => lines.close(),
  };
}
