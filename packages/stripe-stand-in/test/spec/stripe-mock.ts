import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

export const module = "github.com/stripe/stripe-mock@v0.203.0";

/** Returns the folder of the Go module. Downloads the module if it is missing. */
function folder(): string {
  const told = execFileSync("go", ["mod", "download", "-json", module], { encoding: "utf8" });
  return (JSON.parse(told) as { Dir: string }).Dir;
}

export type Schema = { readonly [keyword: string]: unknown };

type Spec = { readonly components: { readonly schemas: Readonly<Record<string, Schema>> } };

/**
 * Reads Stripe's OpenAPI description of version 2026-08-26.dahlia, which is a few months older than the version that
 * the stand-in supports.
 */
export function readSpec(): Spec {
  return JSON.parse(readFileSync(join(folder(), "embedded/openapi/spec3.json"), "utf8")) as Spec;
}

/** Builds stripe-mock into a folder and runs it on the loopback address. */
export async function startStripeMock(into: string): Promise<{ url: string; stop: () => void }> {
  execFileSync("go", ["install", module], { env: { ...process.env, GOBIN: into }, stdio: "inherit" });
  const [http, https] = [await freePort(), await freePort()];
  const running = spawn(join(into, "stripe-mock"), [
    "-http-addr",
    `127.0.0.1:${http}`,
    "-https-addr",
    `127.0.0.1:${https}`,
  ]);
  await said(running, "Listening for HTTP");
  return { url: `http://127.0.0.1:${http}`, stop: () => void running.kill() };
}

async function said(running: ChildProcess, words: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let heard = "";
    const hear = (chunk: Buffer) => {
      heard += chunk.toString();
      if (heard.includes(words)) resolve();
    };
    running.stdout?.on("data", hear);
    running.stderr?.on("data", hear);
    running.once("exit", () => reject(new Error(`stripe-mock ended: ${heard}`)));
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("There is no free port");
  return address.port;
}
