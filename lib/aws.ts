import type { Readable } from "node:stream";
import type { CognitoIdentityProviderClient } from "@aws-sdk/client-cognito-identity-provider";
import sdk from "@aws-sdk/client-dynamodb/package.json" with { type: "json" };
import type { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { SQSClient } from "@aws-sdk/client-sqs";
import {
  createDefaultUserAgentProvider,
  getHostHeaderPlugin,
  getRecursionDetectionPlugin,
  getUserAgentPlugin,
  partition,
} from "@aws-sdk/core/client";
import { AwsJson1_0Protocol, AwsJson1_1Protocol } from "@aws-sdk/core/protocols";
import { DynamoDBJsonCodec2 } from "@aws-sdk/dynamodb-codec";
import type { DynamoDBDocumentClient, TranslateConfig } from "@aws-sdk/lib-dynamodb";
import { Client, type SmithyResolvedConfiguration } from "@smithy/core/client";
import { getContentLengthPlugin, HttpRequest, type HttpResponse, parseUrl } from "@smithy/core/protocols";
import { getRetryPlugin, StandardRetryStrategy } from "@smithy/core/retry";
import { getSchemaSerdePlugin } from "@smithy/core/schema";
import { fromUtf8, Hash, toBase64, toUtf8 } from "@smithy/core/serde";
import { NodeHttpHandler, type NodeHttpHandlerOptions } from "@smithy/node-http-handler";
import { SignatureV4 } from "@smithy/signature-v4";
import type {
  AwsCredentialIdentity,
  DeserializeMiddleware,
  Endpoint,
  FinalizeRequestMiddleware,
  HttpHandlerOptions,
  MetadataBearer,
  SerializeMiddleware,
} from "@smithy/types";
import { env } from "./env.ts";

type Options = {
  /** The number of times a request is sent before its failure is final. Default: 3. */
  readonly maxAttempts?: number;
  /** Time-outs in milliseconds. Without them, a request waits until it is aborted. */
  readonly requestHandler?: NodeHttpHandlerOptions;
};

type Service = {
  /** The service's name in the user agent. */
  readonly serviceId: string;
  /** Where requests go, if not to AWS. */
  readonly endpoint: string | undefined;
  /** The service's name in hosts and signatures. */
  readonly name: string;
  /** How commands of the SDK become requests. */
  readonly protocol?: AwsJson1_0Protocol | AwsJson1_1Protocol;
  /** Whether signatures escape paths a second time, as those of every service but S3 do. */
  readonly uriEscapePath?: boolean;
  /** The delay that retries start from, in milliseconds. Default: 50, as in the SDK. */
  readonly baseDelay?: number;
};

/** A DynamoDB client that takes and returns JavaScript values. It runs the commands of `@aws-sdk/lib-dynamodb`. */
export function documentClient(
  options: Options & { readonly translateConfig?: TranslateConfig } = {},
): DynamoDBDocumentClient {
  const protocol = new AwsJson1_0Protocol({
    defaultNamespace: "com.amazonaws.dynamodb",
    serviceTarget: "DynamoDB_20120810",
    jsonCodec: new DynamoDBJsonCodec2(),
  });
  const endpoint = env("AWS_ENDPOINT_URL_DYNAMODB");
  return compose({ serviceId: "DynamoDB", name: "dynamodb", endpoint, protocol, baseDelay: 25 }, options);
}

const json = (service: string, serviceTarget: string) =>
  new AwsJson1_1Protocol({ defaultNamespace: `com.amazonaws.${service}`, serviceTarget });

export function cognitoClient(options: Options = {}): CognitoIdentityProviderClient {
  const protocol = json("cognitoidentityprovider", "AWSCognitoIdentityProviderService");
  const endpoint = env("AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER");
  return compose({ serviceId: "Cognito Identity Provider", name: "cognito-idp", endpoint, protocol }, options);
}

export function eventBridgeClient(options: Options = {}): EventBridgeClient {
  const protocol = json("eventbridge", "AWSEvents");
  const endpoint = env("AWS_ENDPOINT_URL_EVENTBRIDGE");
  return compose({ serviceId: "EventBridge", name: "events", endpoint, protocol }, options);
}

export function secretsManagerClient(options: Options = {}): SecretsManagerClient {
  const protocol = json("secretsmanager", "secretsmanager");
  const endpoint = env("AWS_ENDPOINT_URL_SECRETS_MANAGER");
  return compose({ serviceId: "Secrets Manager", name: "secretsmanager", endpoint, protocol }, options);
}

export function sqsClient(options: Options = {}): SQSClient {
  const defaultNamespace = "com.amazonaws.sqs";
  const protocol = new AwsJson1_0Protocol({ defaultNamespace, serviceTarget: "AmazonSQS", awsQueryCompatible: true });
  const endpoint = env("AWS_ENDPOINT_URL_SQS");
  // Its commands would check the MD5 of what arrived, as TLS does.
  return compose({ serviceId: "SQS", name: "sqs", endpoint, protocol }, Object.assign({ md5: false }, options));
}

/** A request about one object of a bucket. */
export type ObjectRequest = {
  readonly operation: "GetObject" | "PutObject" | "DeleteObject";
  readonly bucket: string;
  /** Of characters that need no escape in a path. */
  readonly key: string;
  /** In the form of the header: `bytes=100-`. */
  readonly range?: string;
  readonly body?: Uint8Array;
};
type ObjectAnswer = MetadataBearer & { readonly body: Readable };
type S3Config = SmithyResolvedConfiguration<HttpHandlerOptions> & { readonly endpoint: () => Promise<Endpoint> };

/**
 * An S3 client for single objects. It has no commands: those of the SDK bring XML and checksums, 300 kB in a bundle.
 * At AWS, the bucket is a part of the host; elsewhere, of the path.
 */
export function s3Client(options: Options = {}) {
  const service = { serviceId: "S3", name: "s3", endpoint: env("AWS_ENDPOINT_URL_S3"), uriEscapePath: false };
  const { middlewareStack, config } = compose<ObjectRequest, ObjectAnswer, S3Config>(service, options);
  const serialize: SerializeMiddleware<ObjectRequest, ObjectAnswer> = (next) => async (args) => {
    const { operation, bucket, key, range, body } = args.input;
    const { hostname, path, ...endpoint } = await config.endpoint();
    const isAws = hostname.startsWith("s3.");
    const request = new HttpRequest({
      ...endpoint,
      method: operation.replace("Object", "").toUpperCase(),
      hostname: isAws ? `${bucket}.${hostname}` : hostname,
      path: isAws ? `/${key}` : `${path}${bucket}/${key}`,
      query: { "x-id": operation },
      headers: {
        ...(range !== undefined && { range }),
        ...(body && { "content-type": "application/octet-stream" }),
      },
      body,
    });
    return next({ ...args, request });
  };
  const deserialize: DeserializeMiddleware<ObjectRequest, ObjectAnswer> = (next) => async (args) => {
    const { response } = await next(args);
    const { statusCode, body } = response as HttpResponse;
    const $metadata = { httpStatusCode: statusCode };
    if (statusCode < 300) return { response, output: { body, $metadata } };
    const [, name = `Status ${statusCode}`] = /<Code>(\w+)</.exec(Buffer.from(await collect(body)).toString()) ?? [];
    throw Object.assign(new Error(`S3 answered ${name}`), { name, $metadata, $response: response });
  };
  middlewareStack.add(serialize, { step: "serialize" });
  middlewareStack.add(deserialize, { step: "deserialize" });

  return {
    /** @throws Error with S3's code as its name */
    async send(input: ObjectRequest, { abortSignal, ...sending }: HttpHandlerOptions = {}): Promise<ObjectAnswer> {
      const handle = middlewareStack.resolve<ObjectRequest, ObjectAnswer>(
        ({ request }) => config.requestHandler.handle(request, { abortSignal, ...sending }),
        { __smithy_context: { abortSignal } },
      );
      return (await handle({ input })).output;
    },
  };
}

/**
 * Composes a client from exported parts of the AWS SDK. The SDK's own clients also bring credential providers, endpoint
 * rules and configuration files, which make a function three times as large. Another service needs its `Service` here.
 *
 * Supported: region and credentials from the environment, where Lambda puts them; the hosts of all partitions;
 * `AWS_ENDPOINT_URL` and `AWS_ENDPOINT_URL_<SERVICE>` (`lib/env.ts`). Not supported: credentials from profiles, containers and
 * instances; FIPS, dual-stack and account-based endpoints; correction of a wrong clock.
 *
 * @throws Error without a region, or where a FIPS or dual-stack endpoint is asked for
 */
function compose<
  Input extends object,
  Output extends MetadataBearer,
  Config extends SmithyResolvedConfiguration<HttpHandlerOptions>,
>(
  { serviceId, name, endpoint, protocol, uriEscapePath = true, baseDelay = 50 }: Service,
  { maxAttempts = 3, requestHandler, ...more }: Options,
): Client<HttpHandlerOptions, Input, Output, Config> {
  const region = env("AWS_REGION");
  const url = endpointOf(endpoint, `${name}.${region}.${partition(region).dnsSuffix}`);
  const retryStrategy = new StandardRetryStrategy({ maxAttempts, baseDelay });
  const config = {
    ...more,
    serviceId,
    protocol,
    requestHandler: NodeHttpHandler.create(requestHandler),
    region: async () => region,
    endpoint: async () => parseUrl(url),
    // Commands call this outside of bundles (tools/build/replacements.ts).
    endpointProvider: () => ({ url, properties: {}, headers: {} }),
    ignoreConfiguredEndpointUrls: true,
    maxAttempts: async () => maxAttempts,
    retryStrategy: async () => retryStrategy,
    runtime: "node",
    defaultUserAgentProvider: createDefaultUserAgentProvider({ serviceId, clientVersion: sdk.version }),
    userAgentAppId: async () => undefined,
    disableHostPrefix: false,
    urlParser: parseUrl,
    base64Encoder: toBase64,
    utf8Decoder: fromUtf8,
    utf8Encoder: toUtf8,
    // The SDK's decoder checks each letter, which takes 2 ms for 300 kB of a directory's snapshot.
    base64Decoder: decode,
    // The SDK's versions of these load Node's file streams and web streams.
    bodyLengthChecker: (body: string | Uint8Array) => Buffer.byteLength(body),
    streamCollector: collect,
  };
  const client = new Client<HttpHandlerOptions, Input, Output, Config>(config as object as Config);
  const stack = client.middlewareStack;
  if (protocol) stack.use(getSchemaSerdePlugin({ ...config, protocol }));
  stack.use(getUserAgentPlugin(config));
  stack.use(getRetryPlugin(config));
  stack.use(getContentLengthPlugin(config));
  stack.use(getHostHeaderPlugin(config));
  stack.use(getRecursionDetectionPlugin(config));
  const sha256 = Hash.bind(null, "sha256");
  const signer = new SignatureV4({ service: name, region, credentials, sha256, uriEscapePath });
  const sign: FinalizeRequestMiddleware<Input, Output> = (next) => async (args) =>
    next({ ...args, request: await signer.sign(args.request as HttpRequest) });
  // After the retry middleware, so that each attempt is signed anew.
  stack.addRelativeTo(sign, { name: "sign", relation: "after", toMiddleware: "retryMiddleware" });
  return client;
}

function endpointOf(configured: string | undefined, host: string): URL {
  if (env("AWS_USE_FIPS_ENDPOINT") === "true" || env("AWS_USE_DUALSTACK_ENDPOINT") === "true")
    throw new Error("FIPS and dual-stack endpoints are not supported");
  const override = configured ?? env("AWS_ENDPOINT_URL");
  const isIgnored = env("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") === "true";
  return new URL(override !== undefined && !isIgnored ? override : `https://${host}`);
}

/** Called for each attempt, as the environment may get a new session token. */
async function credentials(): Promise<AwsCredentialIdentity> {
  const [accessKeyId, secretAccessKey] = [env("AWS_ACCESS_KEY_ID"), env("AWS_SECRET_ACCESS_KEY")];
  const sessionToken = env("AWS_SESSION_TOKEN");
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}

function decode(base64: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = Buffer.from(base64, "base64");
  return new Uint8Array(buffer, byteOffset, byteLength);
}

async function collect(stream: Readable): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
