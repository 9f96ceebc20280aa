import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** The contents of `.odis/local.json`. */
type Local = {
  readonly api_url: string;
  readonly tokens: Readonly<Record<"owner" | "other_owner" | "member", string>>;
};

/** Starts `npm start` with only the demo data in its own processes. */
export async function startLocalStack() {
  const folder = await mkdtemp(join(tmpdir(), "odis-bench-"));
  const start = join(import.meta.dirname, "../local/start.ts");
  const child = spawn(process.execPath, [start, "--port", "0", "--folder", folder, "--quiet"], { stdio: "inherit" });
  const read = () => readFile(join(folder, "local.json"), "utf8").catch(() => undefined);
  let text = await read();
  while (text === undefined) {
    if (child.exitCode !== null) throw new Error("The local stack ended before it was ready");
    await wait(100);
    text = await read();
  }
  const { api_url, tokens } = JSON.parse(text) as Local;

  return {
    url: api_url,
    tokens,
    get: async (path: string, token: string): Promise<unknown> => {
      const response = await fetch(api_url + path, { headers: { authorization: `Bearer ${token}` } });
      if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
      return response.json();
    },
    async stop(): Promise<void> {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
