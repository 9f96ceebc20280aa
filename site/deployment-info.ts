import packageJson from "../package.json" with { type: "json" };

/** The version that is built: that of `package.json`, unless `npm run deploy` has set one with the commit. */
export const version = process.env.ODIS_VERSION || packageJson.version;

/** What an app has to know about a deployment. Nothing of it is secret. */
type DeploymentInfo = {
  readonly api_url: string;
  readonly region: string;
  readonly user_pool_id: string;
  readonly client_id: string;
  /** URL of Cognito, or of its stand-in. */
  readonly sign_in_url: string;
  /** `local` on the local stack. */
  readonly stage: string;
  /** Page of an app where people join a tier, with `{slug}` and `{tier_id}`. */
  readonly join_url?: string | undefined;
};

/** Path of the file with the information, which pages of every origin may read. */
export const deploymentInfoPath = "/.well-known/odis.json";

/** The contents of the file. */
export const deploymentInfo = (info: DeploymentInfo) => ({ ...info, version });
