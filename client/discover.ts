import { OdisProblem } from "./problem.ts";
import { retrying } from "./retry.ts";
import { defaultTimeout, withTimeout } from "./time.ts";

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
};

/** Reads `/.well-known/odis.json`. @throws OdisProblem if there is no such file, TypeError if the URL cannot be reached */
export const discover = (url: string): Promise<Deployment> =>
  withTimeout(defaultTimeout, undefined, async (signal) => {
    const request = new Request(new URL("/.well-known/odis.json", url), { signal });
    const response = await retrying()(request, performance.now() + defaultTimeout);
    const info = (response.ok ? await response.json().catch(() => undefined) : undefined) as Info | undefined;
    if (!info?.api_url) throw new OdisProblem(response.status, { detail: `${request.url} is not a file of Odis` });
    const { api_url: baseUrl, region, user_pool_id: userPoolId, client_id: clientId, stage, version } = info;
    return { baseUrl, region, userPoolId, clientId, endpoint: info.sign_in_url, stage, version };
  });

type Info = {
  readonly [name in "api_url" | "region" | "user_pool_id" | "client_id" | "sign_in_url" | "stage" | "version"]: string;
};
