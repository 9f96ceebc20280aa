import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** A question of a program, and the line that answers it; a function is given all that was written so far. */
export type Exchange = readonly [question: string, answer: string | ((written: string) => string)];

/**
 * Runs the command line in a terminal's place: answers each question once it is asked, in order.
 *
 * @returns what it wrote, and its exit code
 */
export async function dialog(args: readonly string[], env: NodeJS.ProcessEnv, exchanges: readonly Exchange[]) {
  const child = spawn(process.execPath, ["client/cli/main.ts", ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
  const left = [...exchanges];
  // Where nothing is left to answer, the input ends.
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
