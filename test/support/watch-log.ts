import { format } from "node:util";
import { afterAll } from "vitest";
import { leaks } from "./log.ts";

const leaked: string[] = [];

const search = (text: string): void =>
  void leaked.push(...text.split("\n").filter((line) => line.startsWith('{"') && leaks(line)));

/**
 * Redirects a stream of this process to Vitest's console, which prints the output only if the running test, its hooks or its
 * file fail (`silent: "passed-only"`). Also searches log lines for secrets.
 */
function redirect(stream: NodeJS.WriteStream, print: (text: string) => void): void {
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    search(text);
    print(text.replace(/\n$/, ""));
    const written = rest.at(-1);
    if (typeof written === "function") process.nextTick(written);
    return true;
  };
}

redirect(process.stdout, console.log);
redirect(process.stderr, console.error);

for (const method of ["log", "info", "warn", "error"] as const) {
  const print = console[method];
  console[method] = (...values: unknown[]) => {
    search(format(...values));
    print(...values);
  };
}

// Runs after every test file, so that a logged secret is found in any test.
afterAll(() => {
  if (leaked.length > 0) throw new Error(`The log holds secrets or personal data:\n${leaked.join("\n")}`);
});
