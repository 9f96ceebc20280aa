import { OdisProblem } from "./problem.ts";
import { requesting } from "./requesting.ts";

/** A deployment of Odis: all settings that `createOdis` and `createSignIn` need. */
export type Deployment = {
  /** URL of the API. */
  readonly baseUrl: string;
  readonly region: string;
  readonly userPoolId: string;
  readonly clientId: string;
  /** URL of Cognito, or of its stand-in on the local stack. */
  readonly endpoint: string;
  /** Name of the deployment, such as `prod`. `local` on the local stack. */
  readonly stage: string;
  /** Version of Odis. */
  readonly version: string;
  /** Page of an app where people join a tier, with `{slug}` and `{tier_id}`. */
  readonly joinUrl?: string;
};

/** Reads `/.well-known/odis.json`. */
export async function discover(url: string): Promise<Deployment> {
  const { data, status } = await requesting({ baseUrl: url })("get", "/.well-known/odis.json");
  const {
    api_url: baseUrl,
    join_url: joinUrl,
    user_pool_id: userPoolId,
    client_id: clientId,
    sign_in_url: endpoint,
    ...others
  } = data as Readonly<Record<string, string>>;
  if (!clientId) throw new OdisProblem(status, { detail: `${url} is not Odis` });
  return { baseUrl, joinUrl, userPoolId, clientId, endpoint, ...others } as Deployment;
}
