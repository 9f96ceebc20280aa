import { afterAll } from "vitest";
import { leaks } from "./log.ts";

// Whatever the suite makes the functions log is looked through, in every test file: what is kept out of a log is kept
// out on every way that any test takes.

const found: string[] = [];
const write = process.stdout.write.bind(process.stdout);

process.stdout.write = (text: string | Uint8Array, ...rest: never[]): boolean => {
  const line = String(text);
  const isLine = line.startsWith('{"');
  if (isLine && leaks(line)) found.push(line);
  // The lines about requests would drown what a failing test has to say.
  return (isLine && !line.includes('"level":"error"')) || write(text, ...rest);
};

afterAll(() => {
  if (found.length > 0) throw new Error(`The log holds secrets or personal data:\n${found.join("")}`);
});
