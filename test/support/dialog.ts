import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** A question of a program and the answer, or a function that returns the answer from the output so far. */
export type Exchange = readonly [question: string, answer: string | ((written: string) => string)];

/**
 * Runs a command like in a terminal: answers each question when it is asked, in order.
 *
 * @returns the output and the exit code
 */
export async function dialog(args: readonly string[], env: NodeJS.ProcessEnv, exchanges: readonly Exchange[]) {
  const child = spawn(process.execPath, ["client/cli/main.ts", ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
  const left = [...exchanges];
  // Ends the input after the last answer.
  if (left.length === 0) child.stdin.end();
  let written = "";
  let searched = 0;
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    written += chunk;
    for (let next = left[0]; next; next = left[0]) {
      const at = written.indexOf(next[0], searched);
      if (at < 0) return;
      searched = at + next[0].length;
      left.shift();
      const [, answer] = next;
      child.stdin.write(`${typeof answer === "string" ? answer : answer(written)}\n`);
      if (left.length === 0) child.stdin.end();
    }
  });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return { out, err: written, code: Number(code), unasked: left.map(([question]) => question) };
}
