import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { installTool } from "../../tools/build/tool.ts";
import { startDemoStack } from "../../tools/local/demo-stack.ts";
import { password } from "../../tools/local/users.ts";

/** The folder of the runtimes and generators. */
export const tools = installTool("consumers");

/** An empty project in a folder of its own, outside the repository, and a local stack that its programs call. */
export async function startProject() {
  const folder = await mkdtemp(join(tmpdir(), "odis-consumer-"));
  const stack = await startDemoStack({ port: 0, folder: join(folder, ".odis") });
  const { api_url: url, cognito_url: endpoint, tokens, environment } = stack.local;
  const pool = { userPoolId: environment.USER_POOL_ID, clientId: environment.CLIENT_ID, endpoint };
  const facts = { url, pool, password, ownerToken: tokens.owner, fanToken: tokens.stranger };
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));

  return {
    folder,
    url,
    ownerToken: tokens.owner ?? "",
    fanToken: tokens.stranger ?? "",
    /** Puts a program of `test/consumers/programs` into the project. */
    add: (program: string) => copyFile(join(import.meta.dirname, "programs", program), join(folder, program)),
    /** What the programs know of the stack, as `stack.ts`; `email` is of a person who has no account yet. */
    tell: (email: string) =>
      writeFile(join(folder, "stack.ts"), `export const stack = ${JSON.stringify({ ...facts, email })};\n`),
    async stop(): Promise<void> {
      await stack.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a program to its end. @throws Error with what it printed, if it fails */
export async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: "", DENO_NO_UPDATE_CHECK: "1", FORCE_COLOR: "0" };
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${out}${err}`);
  return out;
}

/** Compiles TypeScript files of a project to JavaScript, with all checks. @throws Error with what the compiler says */
export const compile = (compiler: string, files: readonly string[], cwd: string): Promise<string> => {
  const options = "--strict --skipLibCheck false --target es2022 --lib es2022,dom,dom.iterable --module nodenext".split(
    " ",
  );
  return run(process.execPath, [join(compiler, "bin/tsc"), ...options, ...files], cwd);
};

/** A runtime of `tools/consumers`; undefined, with a line that says so, where it could not be installed. */
export function runtime(name: string): string | undefined {
  const program = join(tools, "node_modules/.bin", name);
  if (existsSync(program) && spawnSync(program, ["--version"]).status === 0) return program;
  console.warn(`NOT TESTED: the packed client on ${name}, which cannot be installed here`);
  return undefined;
}
