import { CloudFormationClient } from "@aws-sdk/client-cloudformation";

/**
 * Finds credentials and a region as the AWS CLI does (environment, profile, single sign-on) and sets them as
 * environment variables, the only source of `lib/aws.ts`. They are not renewed while a script runs.
 *
 * @throws Error if there are none
 */
export async function useProfile(): Promise<void> {
  const { config } = new CloudFormationClient();
  const { accessKeyId, secretAccessKey, sessionToken } = await config.credentials();
  const region = await config.region();
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...(sessionToken && { AWS_SESSION_TOKEN: sessionToken }),
  });
}
