import { readFile, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { command, integer, run, UsageError } from "../command.ts";
import { partsOf } from "../local/gateway/event.ts";
import { type HttpAnswer, serve } from "../local/loopback.ts";
import { runningStack } from "./running-stack.ts";

type ExampleOptions = { readonly port: number; readonly folder: string };

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

const program = command("npm run example --", "Serves the static files of a front end, by default examples/fan-club.")
  .argument("[site]", "Folder of the files", "examples/fan-club")
  .option("--port <port>", "Port of the front end (0 picks a free one)", integer(0, 65_535), 5173)
  .option("--folder <folder>", "Folder of the local stack's data", ".odis")
  .action(async (site: string, { port, folder }: ExampleOptions) => {
    const root = resolve(site);
    const isFolder = await stat(root).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (!isFolder) throw new UsageError(`${site} is not a folder`);
    /** Reads a file with the addresses of the running stack, which can have other ports. Undefined if there is no such file. */
    async function contentsOf(path: string): Promise<Buffer | string | undefined> {
      const contents = await readFile(join(root, path)).catch(() => undefined);
      if (!contents || ![".html", ".js", ".mjs"].includes(extname(path))) return contents;
      const { api_url, cognito_url } = await runningStack(folder);
      return contents
        .toString()
        .replaceAll("http://127.0.0.1:3000", api_url)
        .replaceAll("http://127.0.0.1:3002", cognito_url);
    }
    async function answer(path: string): Promise<HttpAnswer> {
      const file = path.endsWith("/") ? `${path}index.html` : path;
      const contents = /^(?:\/[\w-][\w.-]*)+$/.test(file) ? await contentsOf(file) : undefined;
      const headers = (name: string) => [["content-type", types[extname(name)] ?? "application/octet-stream"]] as const;
      if (contents !== undefined) return { status: 200, headers: headers(file), body: contents };
      return { status: 404, headers: headers("404.html"), body: (await contentsOf("404.html")) ?? "Not found" };
    }

    await runningStack(folder);
    const { url } = await serve({ port, maxBodyBytes: 0 }, ({ target }) => answer(partsOf(target).path));
    console.log(`  ${site} is served on ${url.replace("127.0.0.1", "localhost")}. Stop with Ctrl-C.`);
  });

await run(program);
