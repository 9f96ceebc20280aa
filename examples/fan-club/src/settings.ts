import { createOdis, type Deployment } from "@odis/client";

/** Finds the deployment whose URL is in `/settings.json` next to the app. @throws Error if there is no such file */
export async function loadDeployment(): Promise<Deployment> {
  const response = await fetch("/settings.json");
  const isJson = response.headers.get("content-type")?.includes("json");
  if (!response.ok || !isJson) throw new Error("There is no settings.json. Is the local stack running (npm start)?");
  const { apiUrl } = (await response.json()) as { readonly apiUrl: string };
  return createOdis.discover(apiUrl);
}
