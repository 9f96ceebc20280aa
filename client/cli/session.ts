import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { createOdis, type Odis } from "../odis.ts";

/** URL of the API, and the caller. */
export type Place = { readonly apiUrl?: string; readonly folder: string; readonly as: string };

/** The user pool to sign in to. */
const Pool = v.object({ url: v.string(), client_id: v.string() });
const Session = v.object({
  api_url: v.string(),
  pool: Pool,
  access_token: v.string(),
  refresh_token: v.optional(v.string()),
  /** Milliseconds since 1970. */
  expires_at: v.number(),
});
type Session = v.InferOutput<typeof Session>;

const Local = v.object({
  api_url: v.string(),
  cognito_url: v.string(),
  tokens: v.record(v.string(), v.string()),
  environment: v.object({ CLIENT_ID: v.string() }),
});

const file = (): string => {
  const { ODIS_CONFIG, XDG_CONFIG_HOME = join(homedir(), ".config") } = process.env;
  return ODIS_CONFIG ?? join(XDG_CONFIG_HOME, "odis", "session.json");
};

/**
 * A client of the API with the token in `ODIS_TOKEN`, that of the stored session or, on the local stack, the demo token
 * of `as`.
 *
 * @throws Error that says how to sign in
 */
export async function openOdis({ apiUrl, folder, as }: Place): Promise<Odis> {
  const { ODIS_TOKEN, ODIS_API_URL } = process.env;
  const [local, session] = await Promise.all([readLocal(folder), readSession()]);
  const wanted = (apiUrl ?? ODIS_API_URL)?.replace(/\/+$/, "");
  const baseUrl = wanted ?? session?.api_url ?? local?.api_url;
  if (baseUrl === undefined)
    throw new Error("No API is known. Set --api-url or ODIS_API_URL, or start the local stack with npm start");
  if (ODIS_TOKEN) return createOdis({ baseUrl, token: () => ODIS_TOKEN });
  if (session?.api_url === baseUrl) return createOdis({ baseUrl, token: () => current(session) });
  const tokens = local?.api_url === baseUrl ? local.tokens : undefined;
  const token = tokens?.[as];
  if (tokens && token === undefined)
    throw new Error(`The local stack has no caller "${as}". Set --as to one of ${Object.keys(tokens).join(", ")}`);
  if (token === undefined) throw new Error(`No token for ${baseUrl}. Run the command sign-in first, or set ODIS_TOKEN`);
  return createOdis({ baseUrl, token: () => token });
}

type Credentials = { readonly username: string; readonly password: string };

/** Signs in with a password, and stores the session in a file that only this user can read. */
export async function signIn(
  { apiUrl, folder, region, clientId }: Place & { readonly region?: string; readonly clientId?: string },
  { username, password }: Credentials,
): Promise<string> {
  const local = await readLocal(folder);
  const api_url = apiUrl ?? process.env.ODIS_API_URL ?? local?.api_url;
  if (api_url === undefined) throw new Error("No API is known. Set --api-url or ODIS_API_URL");
  const isLocal = local?.api_url === api_url && clientId === undefined;
  const client_id = isLocal ? local.environment.CLIENT_ID : clientId;
  if (client_id === undefined || !(isLocal || region))
    throw new Error("No user pool is known. Set --region and --client-id");
  const pool = { url: isLocal ? local.cognito_url : `https://cognito-idp.${region}.amazonaws.com/`, client_id };
  const tokens = await initiate(pool, "USER_PASSWORD_AUTH", { USERNAME: username, PASSWORD: password });
  await keep({ api_url, pool, ...tokens });
  return file();
}

export const signOut = (): Promise<void> => rm(file(), { force: true });

/** Returns the session's token. It is renewed one minute before it expires. */
async function current(session: Session): Promise<string> {
  if (session.expires_at > Date.now() + 60_000 || session.refresh_token === undefined) return session.access_token;
  Object.assign(session, await initiate(session.pool, "REFRESH_TOKEN_AUTH", { REFRESH_TOKEN: session.refresh_token }));
  await keep(session);
  return session.access_token;
}

const Answer = v.object({
  AuthenticationResult: v.object({
    AccessToken: v.string(),
    RefreshToken: v.optional(v.string()),
    ExpiresIn: v.number(),
  }),
});

/** Cognito's `InitiateAuth`, which needs no AWS credentials. */
async function initiate({ url, client_id }: Session["pool"], AuthFlow: string, AuthParameters: object) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": "AWSCognitoIdentityProviderService.InitiateAuth",
    },
    body: JSON.stringify({ AuthFlow, AuthParameters, ClientId: client_id }),
  });
  const body: unknown = await response.json();
  if (!response.ok)
    throw new Error((body as { message?: string }).message ?? `Sign-in failed with status ${response.status}`);
  const { AccessToken, RefreshToken, ExpiresIn } = v.parse(Answer, body).AuthenticationResult;
  return {
    access_token: AccessToken,
    expires_at: Date.now() + ExpiresIn * 1000,
    ...(RefreshToken !== undefined && { refresh_token: RefreshToken }),
  };
}

async function keep(session: Session): Promise<void> {
  await mkdir(dirname(file()), { recursive: true, mode: 0o700 });
  await writeFile(file(), JSON.stringify(session), { mode: 0o600 });
  // `writeFile` does not change the mode of an existing file.
  await chmod(file(), 0o600);
}

const readSession = () => readIf(Session, file());
const readLocal = (folder: string) => readIf(Local, join(folder, "local.json"));

/** Reads a JSON file. Returns undefined if it does not exist or does not match the schema. */
async function readIf<S extends v.GenericSchema>(schema: S, path: string): Promise<v.InferOutput<S> | undefined> {
  const stored: unknown = JSON.parse(await readFile(path, "utf8").catch(() => "null"));
  return v.is(schema, stored) ? stored : undefined;
}
