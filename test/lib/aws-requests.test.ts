import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import sdkPackage from "@aws-sdk/client-dynamodb/package.json" with { type: "json" };
import { describe, expect, it, vi } from "vitest";
import { bundled, compared, hermetic, Key, knownRegions, type Options, type Sdk, TableName } from "./aws-sdks.ts";

hermetic();

type Sent = {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array;
};

/** Sends something with a client of the SDK. */
type Send = (sdk: Sdk, options: Options) => Promise<unknown>;

const SecretId = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:Stripe";

const [Bucket, objectKey] = ["odis-snapshots", "directory/11112222-3333-4444-8555-666677778888"];

/** Operations to compare. Those of DynamoDB are compared in `aws.test.ts`. */
const operations = {
  GetItem: (sdk, options) => sdk.documentClient(options).send(new sdk.documents.GetCommand({ TableName, Key })),
  PutEvents: (sdk, options) => {
    const Entries = [{ Source: "odis", DetailType: "a", Detail: '{"é":1}', Time: new Date(0), EventBusName: "bus" }];
    return sdk.eventBridgeClient(options).send(new sdk.eventBridge.PutEventsCommand({ Entries }));
  },
  SendMessageBatch: (sdk, options) => {
    const Entries = [{ Id: "0", MessageBody: '{"é":1}', MessageGroupId: "7", DelaySeconds: 900 }];
    const QueueUrl = "https://sqs.eu-central-1.amazonaws.com/000000000000/deliveries";
    return sdk.sqsClient(options).send(new sdk.sqs.SendMessageBatchCommand({ QueueUrl, Entries }));
  },
  GetSecretValue: (sdk, options) =>
    sdk.secretsManagerClient(options).send(new sdk.secretsManager.GetSecretValueCommand({ SecretId })),
  PutSecretValue: (sdk, options) => {
    const { PutSecretValueCommand } = sdk.secretsManager;
    return sdk.secretsManagerClient(options).send(new PutSecretValueCommand({ SecretId, SecretString: "{}" }));
  },
  GetObject: (sdk, options) =>
    sdk.s3Client(options).send(new sdk.s3.GetObjectCommand({ Bucket, Key: objectKey, Range: "bytes=7-" })),
  PutObject: (sdk, options) =>
    sdk
      .s3Client(options)
      .send(new sdk.s3.PutObjectCommand({ Bucket, Key: objectKey, Body: new Uint8Array([0, 1, 255]) })),
  DeleteObject: (sdk, options) =>
    sdk.s3Client(options).send(new sdk.s3.DeleteObjectCommand({ Bucket, Key: objectKey })),
} satisfies Record<string, Send>;

const names = Object.keys(operations) as (keyof typeof operations)[];
const isOfS3 = (name: string) => name.endsWith("Object");
const hosts = {
  GetItem: "dynamodb",
  PutEvents: "events",
  SendMessageBatch: "sqs",
  GetSecretValue: "secretsmanager",
  GetObject: `${Bucket}.s3`,
} as const;

/** A handler that records requests without sending them. */
function capturing() {
  const requests: Sent[] = [];
  const handle = async (request: Sent) => {
    requests.push(request);
    return { response: { statusCode: 200, headers: {}, body: Readable.from([Buffer.from("{}")]) } };
  };
  return { requests, requestHandler: { handle } as object };
}

/** The SDK's CommonJS files, which tests load, name another version than its ES modules, which are bundled. */
const agent = { defaultUserAgentProvider: async () => [["aws-sdk-js", sdkPackage.version]] };

/** The one request of an operation. */
async function sent(sdk: Sdk, send: Send = operations.GetItem, more: object = agent): Promise<Sent> {
  const { requests, requestHandler } = capturing();
  await send(sdk, { requestHandler, ...more });
  const [request] = requests;
  if (!request || requests.length > 1) throw new Error(`${requests.length} requests were sent`);
  return request;
}

const addressOf = ({ protocol, hostname, port, path }: Sent) =>
  `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`;

describe("A bundled client", () => {
  it.each(names)("a bundled client sends and signs %s like the SDK", async (name) => {
    vi.useFakeTimers({ now: new Date("2026-11-21T10:00:00Z"), toFake: ["Date"] });
    vi.spyOn(crypto, "randomUUID").mockReturnValue("00000000-0000-4000-8000-000000000000");
    vi.stubEnv("AWS_SESSION_TOKEN", "a session's token");
    const request = await compared(async (sdk) => {
      const { headers, body, ...rest } = await sent(sdk, operations[name]);
      // The user agent is not signed, and has a separate test.
      return { ...rest, headers: { ...headers, "user-agent": "" }, body: Buffer.from(body ?? "").toString() };
    });
    expect(request.headers).toMatchObject({
      "x-amz-security-token": "a session's token",
      ...(!isOfS3(name) && { "x-amz-target": expect.stringMatching(new RegExp(`\\.${name}$`)) }),
      "x-amz-user-agent": `aws-sdk-js/${sdkPackage.version}`,
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=test\/20261121\/eu-central-1\/\w+\/aws4_request, .*x-amz-security-token/,
      ),
    });
  });

  it.each([
    ["GetItem", "dynamodb"],
    ["PutEvents", "eventbridge"],
    ["GetSecretValue", "secrets-manager"],
    ["GetObject", "s3"],
  ] as const)(
    "a bundled client sends the SDK, its version, Lambda and the service in the user agent of %s",
    async (name, service) => {
      vi.stubEnv("AWS_EXECUTION_ENV", "AWS_Lambda_nodejs24.x");
      const { headers } = await sent(bundled, operations[name], {});
      expect(headers["user-agent"]?.split(" ")).toEqual(
        expect.arrayContaining([
          `aws-sdk-js/${sdkPackage.version}`,
          "lang/js",
          `api/${service}#${sdkPackage.version}`,
          "exec-env/AWS_Lambda_nodejs24.x",
        ]),
      );
    },
  );

  it.each([
    ["aws", "eu-central-1", "amazonaws.com"],
    ["aws", "eu-south-9", "amazonaws.com"],
    ["aws-cn", "cn-north-1", "amazonaws.com.cn"],
    ["aws-us-gov", "us-gov-west-1", "amazonaws.com"],
    ["aws-eusc", "eusc-de-east-1", "amazonaws.eu"],
    ["aws-iso", "us-iso-east-1", "c2s.ic.gov"],
    ["aws-iso-b", "us-isob-east-1", "sc2s.sgov.gov"],
    ["aws-iso-e", "eu-isoe-west-1", "cloud.adc-e.uk"],
    ["aws-iso-f", "us-isof-south-1", "csp.hci.ic.gov"],
  ])("a bundled client uses the hosts of partition %s in %s", async (_, region, suffix) => {
    vi.stubEnv("AWS_REGION", region);
    for (const [name, host] of Object.entries(hosts)) {
      const address = await compared(async (sdk) => {
        const request = await sent(sdk, operations[name as keyof typeof hosts]);
        return { url: addressOf(request), host: request.headers.host };
      });
      const path = isOfS3(name) ? objectKey : "";
      expect(address).toEqual({
        url: `https://${host}.${region}.${suffix}/${path}`,
        host: `${host}.${region}.${suffix}`,
      });
    }
  });

  it("a bundled client uses the same hosts as the SDK's own client in every region that the SDK knows", async () => {
    // Without pseudo-regions such as `aws-global`, in which no function runs.
    const regions = knownRegions.filter((name) => /-\d+$/.test(name));
    expect(regions.length).toBeGreaterThan(40);
    for (const region of regions) {
      vi.stubEnv("AWS_REGION", region);
      expect(await compared(async (sdk) => addressOf(await sent(sdk)))).toContain(region);
    }
  });

  it.each<[string, keyof typeof operations, Record<string, string>, string]>([
    ["AWS_ENDPOINT_URL", "GetItem", { AWS_ENDPOINT_URL: "http://one.test:1" }, "http://one.test:1/"],
    [
      "AWS_ENDPOINT_URL_DYNAMODB rather than AWS_ENDPOINT_URL",
      "GetItem",
      { AWS_ENDPOINT_URL: "http://one.test:1", AWS_ENDPOINT_URL_DYNAMODB: "https://two.test/under" },
      "https://two.test/under/",
    ],
    [
      "AWS_ENDPOINT_URL_EVENTBRIDGE with an IPv6 address",
      "PutEvents",
      { AWS_ENDPOINT_URL_EVENTBRIDGE: "http://[::1]:3" },
      "http://[::1]:3/",
    ],
    [
      "AWS_ENDPOINT_URL_SECRETS_MANAGER",
      "GetSecretValue",
      { AWS_ENDPOINT_URL_SECRETS_MANAGER: "http://three.test" },
      "http://three.test/",
    ],
    [
      "AWS_ENDPOINT_URL_S3, and there for the bucket as a part of the path",
      "PutObject",
      { AWS_ENDPOINT_URL: "http://one.test:1", AWS_ENDPOINT_URL_S3: "http://127.0.0.1:4" },
      `http://127.0.0.1:4/${Bucket}/${objectKey}`,
    ],
    [
      "the region's host where only another service has an endpoint of its own",
      "GetSecretValue",
      { AWS_ENDPOINT_URL_DYNAMODB: "http://one.test:1" },
      "https://secretsmanager.eu-central-1.amazonaws.com/",
    ],
    [
      "the region's host where AWS_IGNORE_CONFIGURED_ENDPOINT_URLS is set",
      "GetItem",
      { AWS_ENDPOINT_URL: "http://one.test:1", AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: "true" },
      "https://dynamodb.eu-central-1.amazonaws.com/",
    ],
  ])("a bundled client uses the endpoint of %s", async (_, name, environment, address) => {
    for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value);
    const found = await compared(async (sdk) => {
      const request = await sent(sdk, operations[name]);
      return { url: addressOf(request), host: request.headers.host };
    });
    expect(found.url).toBe(address);
  });

  it.each([
    ["AWS_ACCESS_KEY_ID", "Unable to find environment variable credentials"],
    ["AWS_SECRET_ACCESS_KEY", "Unable to find environment variable credentials"],
  ])("a bundled client sends nothing without %s, and throws the reason", async (variable, message) => {
    vi.stubEnv(variable, undefined);
    const { requests, requestHandler } = capturing();
    await expect(operations.GetItem(bundled, { requestHandler })).rejects.toThrow(message);
    expect(requests).toEqual([]);
  });

  it.each(names)(
    "a bundled client passes on the trace of a function with %s, with which Lambda detects loops",
    async (name) => {
      const traceOf = async (sdk: Sdk) => (await sent(sdk, operations[name])).headers["X-Amzn-Trace-Id"];
      const trace = "Root=1-67891233-abcdef012345678912345678;Parent=53995c3f42cd8ad8;Sampled=1";
      vi.stubEnv("_X_AMZN_TRACE_ID", trace);
      expect(await compared(traceOf)).toBeUndefined();
      vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", "odis-prod-MembersShow");
      expect(await compared(traceOf)).toBe(trace);
    },
  );
});
