import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { createOdis, createSignIn, type Odis, type SignedIn, type SignIn, tokenOf } from "../odis.ts";
import { UsageError } from "./failures.ts";

/** URL of the API, and the caller: `as` is a demo user of the local stack. */
export type Place = { readonly apiUrl?: string; readonly folder: string; readonly as?: string };

/** A client of an API, and a description of its caller for people. */
export type Opened = {
  readonly odis: Odis;
  /** The client for routes that need no token. They refuse API keys, so it sends none. */
  readonly publicOdis: Odis;
  readonly apiUrl: string;
  readonly caller: string;
  /** Whether the caller is an API key, and not a user. */
  readonly isKey: boolean;
};

/** The user pool of a session. `endpoint` is set for a pool that is not on AWS. */
const Pool = v.object({ user_pool_id: v.string(), client_id: v.string(), endpoint: v.optional(v.string()) });
type Pool = v.InferOutput<typeof Pool>;
const Session = v.object({
  api_url: v.string(),
  pool: Pool,
  username: v.string(),
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
  environment: v.object({ USER_POOL_ID: v.string(), CLIENT_ID: v.string() }),
});

const file = (): string => {
  const { ODIS_CONFIG, XDG_CONFIG_HOME = join(homedir(), ".config") } = process.env;
  return ODIS_CONFIG ?? join(XDG_CONFIG_HOME, "odis", "session.json");
};

/**
 * Opens the API. The caller is `as` if given. Otherwise it is the user of the token in `ODIS_TOKEN`, of the stored
 * session, or the admin of the local stack.
 * @throws UsageError that says what is missing
 */
export async function openApi({ apiUrl, folder, as }: Place): Promise<Opened> {
  const { ODIS_TOKEN } = process.env;
  const [local, session] = await Promise.all([readLocal(folder), readSession()]);
  const wanted = urlFrom(apiUrl);
  if (as !== undefined) return openAs(local, as, wanted);
  const baseUrl = wanted ?? session?.api_url ?? local?.api_url;
  if (baseUrl === undefined)
    throw new UsageError("No API is known. Set --api-url or ODIS_API_URL, or start the local stack with npm start");
  if (ODIS_TOKEN?.startsWith("odis_")) {
    const publicOdis = createOdis({ baseUrl });
    return { ...opened(baseUrl, () => ODIS_TOKEN, "the API key of ODIS_TOKEN"), publicOdis, isKey: true };
  }
  if (ODIS_TOKEN) return opened(baseUrl, () => ODIS_TOKEN, "the caller of ODIS_TOKEN");
  if (session?.api_url === baseUrl) return opened(baseUrl, tokenIn(session), session.username);
  if (local?.api_url === baseUrl) return openAs(local, "admin", wanted);
  throw new UsageError(`No token for ${baseUrl}. Run the command sign-in first, or set ODIS_TOKEN`);
}

function openAs(local: v.InferOutput<typeof Local> | undefined, as: string, wanted: string | undefined): Opened {
  if (!local || (wanted ?? local.api_url) !== local.api_url)
    throw new UsageError(
      `--as names a demo user of the local stack, and ${wanted ?? "none"} is not one that runs here`,
    );
  const token = local.tokens[as];
  if (token === undefined)
    throw new UsageError(
      `The local stack has no caller "${as}". Set --as to one of ${Object.keys(local.tokens).join(", ")}`,
    );
  return opened(local.api_url, () => token, `the demo user ${as}`);
}

function opened(apiUrl: string, token: (rejected?: string) => string | Promise<string>, caller: string): Opened {
  const odis = createOdis({ baseUrl: apiUrl, token });
  return { odis, publicOdis: odis, apiUrl, caller, isKey: false };
}

/** The URL of `--api-url` or `ODIS_API_URL`, without trailing slashes. @throws UsageError if it is not a URL */
function urlFrom(apiUrl = process.env.ODIS_API_URL): string | undefined {
  if (apiUrl === undefined || apiUrl === "") return undefined;
  if (!URL.canParse(apiUrl) || !/^https?:$/.test(new URL(apiUrl).protocol))
    throw new UsageError(`"${apiUrl}" is not the URL of an API, such as https://api.example.com`);
  return apiUrl.replace(/\/+$/, "");
}

/** A user pool on AWS. The default is the pool of the local stack. */
export type PoolOptions = { readonly userPoolId?: string; readonly clientId?: string };

/** Returns the API and its user pool. @throws UsageError that says what is missing */
export async function poolAt({ apiUrl, folder, userPoolId, clientId }: Place & PoolOptions) {
  const local = await readLocal(folder);
  const api_url = urlFrom(apiUrl) ?? local?.api_url;
  if (api_url === undefined) throw new UsageError("No API is known. Set --api-url or ODIS_API_URL");
  const { AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: endpoint } = process.env;
  if (userPoolId !== undefined && clientId !== undefined)
    return { api_url, pool: { user_pool_id: userPoolId, client_id: clientId, ...(endpoint && { endpoint }) } };
  if (local?.api_url !== api_url)
    throw new UsageError("The user pool is not known. Set --user-pool-id and --client-id");
  const { USER_POOL_ID: user_pool_id, CLIENT_ID: client_id } = local.environment;
  return { api_url, pool: { user_pool_id, client_id, endpoint: local.cognito_url } };
}

export const signInOf = ({ user_pool_id: userPoolId, client_id: clientId, endpoint }: Pool): SignIn =>
  createSignIn({ userPoolId, clientId, ...(endpoint !== undefined && { endpoint }) });

/** Stores a session in a file that only this user can read. @returns the path of the file */
export async function startSession(of: Pick<Session, "api_url" | "pool" | "username">, given: SignedIn) {
  await keep({ ...of, ...tokensOf(given) });
  return file();
}

/** Reads the session. Its token is valid for at least one minute. @throws UsageError if nobody is signed in */
export async function usableSession(): Promise<Session> {
  const session = await readSession();
  if (!session) throw new UsageError("Nobody is signed in. Run the command sign-in first");
  await tokenIn(session)();
  return session;
}

/** Revokes the refresh token if Cognito can be reached, then deletes the file of the session. */
export async function signOut(): Promise<void> {
  const { pool, refresh_token } = (await readSession()) ?? {};
  if (pool && refresh_token !== undefined)
    await signInOf(pool)
      .signOut(refresh_token)
      .catch(() => undefined);
  await rm(file(), { force: true });
}

/**
 * The `token` of a client for the session. New tokens, which have the person's current groups, are stored, unless another
 * command has ended or replaced the session.
 */
const tokenIn = (session: Session): ReturnType<typeof tokenOf> =>
  tokenOf(signInOf(session.pool), signedIn(session), async (renewed) => {
    const stored = await readSession();
    const isStored = stored?.api_url === session.api_url && stored.refresh_token === session.refresh_token;
    Object.assign(session, tokensOf(renewed));
    if (isStored) await keep(session);
  });

const signedIn = ({ access_token, refresh_token, expires_at }: Session): Parameters<typeof tokenOf>[1] => ({
  accessToken: access_token,
  expiresAt: expires_at,
  ...(refresh_token !== undefined && { refreshToken: refresh_token }),
});

const tokensOf = ({ accessToken, refreshToken, expiresAt }: SignedIn) => ({
  access_token: accessToken,
  expires_at: expiresAt,
  ...(refreshToken !== undefined && { refresh_token: refreshToken }),
});

async function keep(session: Session): Promise<void> {
  await mkdir(dirname(file()), { recursive: true, mode: 0o700 });
  // Other commands may read or store the session at the same time.
  const part = `${file()}.${randomUUID()}`;
  try {
    await writeFile(part, JSON.stringify(session), { mode: 0o600 });
    await rename(part, file());
  } finally {
    await rm(part, { force: true });
  }
}

const readSession = () => readIf(Session, file());
const readLocal = (folder: string) => readIf(Local, join(folder, "local.json"));

/** Reads a JSON file. Returns undefined if it does not exist, is not JSON, or does not match the schema. */
async function readIf<S extends v.GenericSchema>(schema: S, path: string): Promise<v.InferOutput<S> | undefined> {
  const stored = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), await readFile(path, "utf8").catch(() => ""));
  return stored.success ? stored.output : undefined;
}
