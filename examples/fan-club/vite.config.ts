import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { defineConfig, type Plugin, type PreviewServer, type ViteDevServer } from "vite";

/** Written by `npm start` of Odis while it runs. */
const localFile = process.env.ODIS_LOCAL ?? join(import.meta.dirname, "../../.odis/local.json");

async function settings(): Promise<object> {
  const { api_url: apiUrl } = JSON.parse(await readFile(localFile, "utf8"));
  return { apiUrl };
}

async function answer(response: ServerResponse): Promise<void> {
  const found = await settings().catch(() => undefined);
  response.statusCode = found ? 200 : 404;
  response.setHeader("content-type", "application/json").end(JSON.stringify(found ?? {}));
}

/**
 * Serves `/settings.json` with the URL of the running local stack. The file is read for every request, because the stack can
 * start again with another port. A deployed app has a file of its own at this path.
 */
function localSettings(): Plugin {
  const serve = ({ middlewares }: ViteDevServer | PreviewServer): void => {
    middlewares.use("/settings.json", (_, response) => void answer(response));
  };
  return { name: "odis-local-settings", configureServer: serve, configurePreviewServer: serve };
}

export default defineConfig({
  plugins: [localSettings()],
  server: { port: 5173, strictPort: true },
  preview: { port: 5173, strictPort: true },
});
