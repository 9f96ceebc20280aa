import { partition } from "@aws-sdk/core/client";
import { HttpRequest } from "@smithy/core/protocols";
import { Hash } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";

/** A stack as CloudFormation describes it. */
export type DescribedStack = {
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
};

/**
 * CloudFormation in the region of the environment, called with the credentials that are there. The SDK's client would be a
 * package for three calls.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/
 */
export function cloudFormation() {
  const { AWS_REGION: region = "", AWS_ENDPOINT_URL_CLOUDFORMATION, AWS_ENDPOINT_URL } = process.env;
  const host = `https://cloudformation.${region}.${partition(region).dnsSuffix}`;
  const url = new URL(AWS_ENDPOINT_URL_CLOUDFORMATION ?? AWS_ENDPOINT_URL ?? host);

  /** @throws Error with CloudFormation's code as its name */
  async function call(action: string, parameters: Readonly<Record<string, string>>): Promise<string> {
    const { AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "", AWS_SESSION_TOKEN } = process.env;
    const signer = new SignatureV4({
      service: "cloudformation",
      region,
      sha256: Hash.bind(null, "sha256"),
      credentials: {
        accessKeyId: AWS_ACCESS_KEY_ID,
        secretAccessKey: AWS_SECRET_ACCESS_KEY,
        ...(AWS_SESSION_TOKEN !== undefined && { sessionToken: AWS_SESSION_TOKEN }),
      },
    });
    const body = new URLSearchParams({ Action: action, Version: "2010-05-15", ...parameters }).toString();
    const { headers } = await signer.sign(
      new HttpRequest({
        method: "POST",
        protocol: url.protocol,
        hostname: url.hostname,
        path: "/",
        headers: { host: url.host, "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
        body,
      }),
    );
    const response = await fetch(url, { method: "POST", headers, body });
    const text = await response.text();
    if (response.ok) return text;
    throw Object.assign(new Error(`CloudFormation refused ${action}: ${valueOf(text, "Message")}`), {
      name: valueOf(text, "Code"),
    });
  }

  return {
    /** @returns undefined where there is no stack of this name */
    async describe(stack: string): Promise<DescribedStack | undefined> {
      try {
        const text = await call("DescribeStacks", { StackName: stack });
        const outputs = text.matchAll(/<member>\s*(?:<[^<>]*>[^<>]*<\/[^<>]*>\s*)*?<OutputKey>.*?<\/member>/gs);
        return {
          status: valueOf(text, "StackStatus"),
          outputs: Object.fromEntries(
            Array.from(outputs, ([output]) => [valueOf(output, "OutputKey"), valueOf(output, "OutputValue")]),
          ),
        };
      } catch (error) {
        if (error instanceof Error && error.name === "ValidationError" && error.message.includes("does not exist"))
          return undefined;
        throw error;
      }
    },

    /** The template that was deployed last, as it was given to CloudFormation. */
    async template(stack: string): Promise<string> {
      return valueOf(await call("GetTemplate", { StackName: stack, TemplateStage: "Original" }), "TemplateBody");
    },

    /** Turns the termination protection of a stack on or off: CloudFormation refuses to delete a protected stack. */
    async protect(stack: string, isProtected = true): Promise<void> {
      const EnableTerminationProtection = String(isProtected);
      await call("UpdateTerminationProtection", { StackName: stack, EnableTerminationProtection });
    },
  };
}

/** The text of the first element of a name; empty where there is none. */
function valueOf(xml: string, name: string): string {
  const [, text = ""] = new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(xml) ?? [];
  return text.replaceAll(
    /&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi,
    (entity, hex?: string, decimal?: string, named: string = "") => {
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
      return entities[named] ?? entity;
    },
  );
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
