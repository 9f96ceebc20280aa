import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { defineConfig, type Plugin, type PreviewServer, type ViteDevServer } from "vite";

/** Written by `npm start` of Odis while it runs. */
const localFile = process.env.ODIS_LOCAL ?? join(import.meta.dirname, "../../.odis/local.json");

async function settings(): Promise<object> {
  const { api_url, cognito_url, environment } = JSON.parse(await readFile(localFile, "utf8"));
  const { USER_POOL_ID: userPoolId, CLIENT_ID: clientId } = environment;
  return { apiUrl: api_url, userPoolId, clientId, signInUrl: cognito_url, isLocal: true };
}

async function answer(response: ServerResponse): Promise<void> {
  const found = await settings().catch(() => undefined);
  response.statusCode = found ? 200 : 404;
  response.setHeader("content-type", "application/json").end(JSON.stringify(found ?? {}));
}

/**
 * Serves `/settings.json` with the addresses of the running local stack. The file is read for every request, because the
 * addresses change when the stack starts again. A deployed app has a file of its own at this path.
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
