import { CloudFormationClient } from "@aws-sdk/client-cloudformation";

/**
 * Finds credentials and a region as the AWS CLI does (environment, profile, single sign-on) and sets them as
 * environment variables. Credentials that expire are not set, so that each client renews its own while a script runs.
 *
 * @throws Error if there are none
 */
export async function useProfile(): Promise<void> {
  const { config } = new CloudFormationClient();
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = await config.credentials();
  process.env.AWS_REGION = await config.region();
  if (expiration) return;
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...(sessionToken && { AWS_SESSION_TOKEN: sessionToken }),
  });
}
