/** Where the API and its sign-in are: `/settings.json` next to the app. */
export type Settings = {
  /** `https://api.example.com` */
  readonly apiUrl: string;
  /** Outputs `UserPoolId` and `ClientId` of the deployment. */
  readonly userPoolId: string;
  readonly clientId: string;
  /** URL of the sign-in, if it is not that of AWS. */
  readonly signInUrl?: string;
  /** On the local stack no email is sent, and every code is 000000. */
  readonly isLocal?: boolean;
};

/** @throws Error if there are no settings */
export async function loadSettings(): Promise<Settings> {
  const response = await fetch("/settings.json");
  const isJson = response.headers.get("content-type")?.includes("json");
  if (!response.ok || !isJson) throw new Error("There is no settings.json. Is the local stack running (npm start)?");
  return (await response.json()) as Settings;
}
