import { partition } from "@aws-sdk/core/client";
import { HttpRequest } from "@smithy/core/protocols";
import { Hash } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";
import { command, run } from "../command.ts";
import { useProfile } from "./aws-profile.ts";

/**
 * Turns the termination protection of a stack on or off. The stack does not set it itself: the CDK would turn it on before
 * the first deployment, and could then not delete a stack whose first deployment has failed. Idempotent.
 *
 * @param stackName `odis-prod`
 * @throws Error with the code of CloudFormation, such as `ValidationError` for a stack that does not exist
 */
export async function protectStack(stackName: string, isProtected = true): Promise<void> {
  await useProfile();
  const { AWS_REGION: region = "", AWS_ENDPOINT_URL_CLOUDFORMATION, AWS_ENDPOINT_URL } = process.env;
  const host = `cloudformation.${region}.${partition(region).dnsSuffix}`;
  const url = new URL(AWS_ENDPOINT_URL_CLOUDFORMATION ?? AWS_ENDPOINT_URL ?? `https://${host}`);
  const body = new URLSearchParams({
    Action: "UpdateTerminationProtection",
    Version: "2010-05-15",
    StackName: stackName,
    EnableTerminationProtection: String(isProtected),
  }).toString();
  const request = new HttpRequest({
    method: "POST",
    hostname: url.hostname,
    path: "/",
    headers: { host: url.host, "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    body,
  });
  const signer = new SignatureV4({ service: "cloudformation", region, credentials, sha256: Hash.bind(null, "sha256") });
  const { headers } = await signer.sign(request);
  const response = await fetch(new URL("/", url), { method: "POST", headers, body });
  if (response.ok) return;
  const answer = await response.text();
  const [code, message] = ["Code", "Message"].map((name) => new RegExp(`<${name}>([^<]*)<`).exec(answer)?.[1]);
  throw new Error(`CloudFormation answered ${code ?? response.status}: ${message ?? ""}`);
}

async function credentials() {
  const { AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "", AWS_SESSION_TOKEN } = process.env;
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
}

if (import.meta.main) {
  const program = command(
    "npm run protect --",
    "Turns on the termination protection of a deployed stack: until it is off, nobody can delete the stack.",
  )
    .option("--stage <name>", "Stage of the stack", "prod")
    .option("--off", "Turn it off")
    .action(async ({ stage, off }: { readonly stage: string; readonly off?: true }) => {
      const name = `odis-${stage}`;
      await protectStack(name, !off);
      console.log(off ? `${name} can be deleted now` : `${name} cannot be deleted until npm run protect -- --off`);
    });
  await run(program);
}
