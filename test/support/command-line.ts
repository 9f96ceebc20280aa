import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll } from "vitest";
import { admin, editor, type startApi } from "./api.ts";
import { temporaryFolder } from "./set-up.ts";

/**
 * Runs the command line as processes, in a folder that points to the test's local stack. Users: `admin`, `editor`, and
 * `stranger`, who has no rights.
 */
export function commandLine(api: ReturnType<typeof startApi>) {
  const folder = temporaryFolder();
  let environment: NodeJS.ProcessEnv;
  beforeAll(async () => {
    const { url, cognito } = api.stack;
    const users = { admin, editor, stranger: { id: 6 } };
    const tokens = await Promise.all(Object.entries(users).map(async ([name, as]) => [name, await api.tokenOf(as)]));
    const { CLIENT_ID, USER_POOL_ID } = process.env;
    const local = { api_url: url, cognito_url: cognito.url, tokens: Object.fromEntries(tokens) as object };
    await writeFile(join(folder, "local.json"), JSON.stringify({ ...local, environment: { CLIENT_ID, USER_POOL_ID } }));
    environment = { ...process.env, ODIS_CONFIG: join(folder, "session", "session.json") };
  });

  /**
   * @param terminal standard streams that count as a terminal
   * @param out a file in place of standard output
   */
  const start = (
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
    terminal: readonly string[] = [],
    out?: string,
  ): ChildProcess =>
    spawn(process.execPath, [...terminal.map(asTerminal), "client/cli/main.ts", "--folder", folder, ...args], {
      env: { ...environment, ...env },
      stdio: [terminal.includes("stdin") ? "pipe" : "ignore", out === undefined ? "pipe" : openSync(out, "w"), "pipe"],
    });

  /** Runs a command without a progress bar. */
  const odis = (args: readonly string[], env?: NodeJS.ProcessEnv) => outcomeOf(start(["--quiet", ...args], env));

  return {
    start,
    odis,
    at: (name: string): string => join(folder, name),
    /** Writes a file of records, one line of JSON each. */
    write: async (name: string, records: readonly unknown[]): Promise<string> => {
      const file = join(folder, name);
      await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
      return file;
    },
    /** Exports the members of a community. @returns the records, or the text of a CSV file */
    exported: async (communityId: number, name: string, ...more: string[]): Promise<string> => {
      const file = join(folder, name);
      const { code, err } = await odis([
        "members",
        "export",
        "--community",
        String(communityId),
        "--out",
        file,
        ...more,
      ]);
      if (code !== 0) throw new Error(err);
      return readFile(file, "utf8");
    },
    sessionFile: (): string => environment.ODIS_CONFIG ?? "",
  };
}

/** An option of Node.js that repeats the first SIGINT at once, as npm does below a terminal. */
export const repeatedSigint = `--import=data:text/javascript,${encodeURIComponent(
  `process.once("SIGINT",()=>process.nextTick(()=>process.kill(process.pid,"SIGINT")))`,
)}`;

const asTerminal = (stream: string) => `--import=data:text/javascript,process.${stream}.isTTY=true`;

export async function outcomeOf(child: ChildProcess) {
  const [out, err, [code, signal]] = await Promise.all([
    child.stdout ? text(child.stdout) : "",
    child.stderr ? text(child.stderr) : "",
    once(child, "exit"),
  ]);
  return { out, err, code: code as number | null, signal: signal as NodeJS.Signals | null };
}

/** Serves an API that answers as the listener does. */
export async function serve(listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { apiUrl: `http://127.0.0.1:${port}`, close: () => server.close() };
}

export const linesOf = (content: string): unknown[] =>
  content
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
