import { execFile, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { afterAll, expect, it } from "vitest";
import { startDemoStack } from "../tools/local/demo-stack.ts";
import { setUp, temporaryFolder } from "./support/set-up.ts";

const folder = temporaryFolder();
const stack = setUp(() => startDemoStack({ port: 0, folder }));
afterAll(() => stack.stop());

/** The lines that the README asks its reader to paste, for the stack of this test. */
async function pastedLines(): Promise<string> {
  const text = await readFile("README.md", "utf8");
  const section = /<!-- first community -->(.*)<!-- \/first community -->/s.exec(text)?.[1] ?? "";
  const blocks = Array.from(section.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = ""]) => block);
  return blocks
    .join("")
    .replaceAll("http://127.0.0.1:3000", stack.local.api_url)
    .replaceAll("npm run -s token --", `npm run -s token -- --folder ${folder}`);
}

const run = (shell: string, lines: string) =>
  new Promise<{ code: number | string; out: string; err: string }>((resolve) => {
    const args = ["-e", "-u", "-o", "pipefail", "-c", lines];
    execFile(shell, args, (error, out, err) => resolve({ code: error?.code ?? 0, out, err }));
  });

const shells = ["bash", "zsh"].filter((shell) => spawnSync(shell, ["--version"]).status === 0);

it.each(shells)("the five calls of the README create a paid member in %s", async (shell) => {
  const { code, out, err } = await run(shell, await pastedLines());
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
  const [benefit, membership, ...others] = out
    .trim()
    .split("\n")
    .map((json): unknown => JSON.parse(json));
  expect(others).toEqual([]);
  expect(membership).toMatchObject({
    is_member: true,
    access: { granted: true, reason: "active" },
    tier: { name: "Reserva" },
    benefits: [benefit],
  });
});

it("the example program of the README runs as described", async () => {
  const line = /^ODIS_TOKEN=.*$/m.exec(await readFile("README.md", "utf8"))?.[0] ?? "";
  const pasted = line.replace("npm run -s token --", `npm run -s token -- --folder ${folder}`);
  const { code, out } = await run("bash", `export ODIS_API_URL=${stack.local.api_url}\n${pasted}`);
  expect({ code, last: out.trim().split("\n").at(-1) }).toEqual({
    code: 0,
    last: expect.stringMatching(/^refunded 250/),
  });
});

it("the README has at most 10 KB", async () => {
  expect(Buffer.byteLength(await readFile("README.md"))).toBeLessThanOrEqual(10_000);
});
