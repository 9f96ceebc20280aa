import type { Cut, Edit } from "./cut.ts";

const client = "@aws-sdk/client-dynamodb/dist-es";
const secrets = "@aws-sdk/client-secrets-manager/dist-es";
const documents = "@aws-sdk/lib-dynamodb/dist-es";
const aws = "@aws-sdk/core/dist-es/submodules";
const smithy = "@smithy/core/dist-es/submodules";

/** Puts what the endpoint is in the place of a decision diagram of all that it could be. */
const endpoint = (folder: string, service: string): Edit => [
  `${folder}/endpoint/endpointResolver.js`,
  /^import [^]*export const defaultEndpointResolver = \(endpointParams, context = \{\}\) => [^]*$/g,
  `import { partition } from "@aws-sdk/core/client";
  export const defaultEndpointResolver = ({ Endpoint, Region, UseDualStack, UseFIPS }) => {
    if (UseDualStack || UseFIPS) throw new Error("This bundle knows no FIPS and no dual-stack endpoints");
    const url = new URL(Endpoint ?? \`https://${service}.\${Region}.\${partition(Region).dnsSuffix}\`);
    return { url, headers: {}, properties: {} };
  };`,
];

/** The errors that commands on items can end in; the others belong to tables, backups, exports and replicas. */
const itemErrors = [
  "ConditionalCheckFailedException",
  "IdempotentParameterMismatchException",
  "InternalServerError",
  "InvalidEndpointException",
  "ItemCollectionSizeLimitExceededException",
  "ProvisionedThroughputExceededException",
  "ReplicatedWriteConflictException",
  "RequestLimitExceeded",
  "ResourceNotFoundException",
  "ThrottlingException",
  "TransactionCanceledException",
  "TransactionConflictException",
  "TransactionInProgressException",
];

export const awsCuts: readonly Cut[] = [
  {
    why: "A function's region, credentials and endpoint come from its environment, and it has no ~/.aws to read.",
    edits: [
      [
        `${smithy}/config/node-config-provider/configLoader.js`,
        "fromSharedConfigFiles(configFileSelector, configuration), ",
        "",
      ],
      [
        "@aws-sdk/credential-provider-node/dist-es/defaultProvider.js",
        /memoizeChain\(\[[^]*\], credentialsTreatedAsExpired\)/g,
        "memoizeChain([fromEnv(init)], credentialsTreatedAsExpired)",
      ],
      // What could be imported later would have all that it shares with us wrapped for that.
      [
        "@aws-sdk/credential-provider-node/dist-es/defaultProvider.js",
        'import { remoteProvider } from "./remoteProvider";',
        "",
      ],
    ],
  },
  {
    why: "AWS_REGION is always set, and Lambda has no instance to ask for it.",
    edits: [
      [
        `${smithy}/config/config-resolver/regionConfig/getInstanceMetadataRegion.js`,
        /(?<=getInstanceMetadataRegion = )async \(\) => \{[^]*?\n\};/g,
        "async () => undefined;",
      ],
    ],
  },
  {
    why: "The defaults are the SDK's own: nothing sets AWS_DEFAULTS_MODE.",
    edits: [client, secrets].map((one) => [
      `${one}/runtimeConfig.js`,
      "resolveDefaultsModeConfig(config)",
      'async () => "legacy"',
    ]),
  },
  {
    why: "The retry mode is the standard one: nothing sets AWS_RETRY_MODE.",
    edits: [[`${smithy}/retry/middleware-retry/configurations.js`, "if (adaptive) {", "if (false) {"]],
  },
  {
    why: "An endpoint is the one that is set or the region's: no account's own, no table in another account, no FIPS.",
    edits: [
      endpoint(client, "dynamodb"),
      endpoint(secrets, "secretsmanager"),
      [`${client}/DynamoDBClient.js`, "resolveAccountIdEndpointModeConfig(_config_1)", "_config_1"],
      [`${client}/runtimeConfig.js`, /^ *accountIdEndpointMode: .*\n/gm, ""],
    ],
  },
  {
    why: "A partition is told by the form of its regions; their names are for people.",
    edits: [
      [
        `${aws}/client/util-endpoints/lib/aws/partitions.js`,
        /"[a-z\d-]+": \{\s*"description": "[^"]*"\s*\},?/g,
        "",
        55,
      ],
    ],
  },
  {
    why: "Endpoint discovery is off unless asked for, and no command takes part in it.",
    edits: [
      [
        `${client}/DynamoDBClient.js`,
        "resolveEndpointDiscoveryConfig(_config_8, { endpointDiscoveryCommandCtor: DescribeEndpointsCommand })",
        "_config_8",
      ],
      [`${client}/runtimeConfig.js`, /^ *endpointDiscoveryEnabledProvider: .*\n/gm, ""],
    ],
  },
  {
    why: "Only S3 has buckets in its endpoints, and only other services have host prefixes.",
    edits: [
      [
        `${smithy}/endpoints/middleware-endpoint/adaptors/getEndpointFromInstructions.js`,
        "await resolveParamsForS3(endpointParams);",
        "",
      ],
      [
        `${smithy}/protocols/HttpProtocol.js`,
        /, operation = getHttpOperationBindings\(operationSchema\)\) \{[^]*?(?=\n {4}deserializeMetadata)/g,
        ") {}",
      ],
    ],
  },
  {
    // Other clients keep it: a loop through SQS, say, is stopped by what this sends along.
    why: "Lambda finds loops through SQS, SNS and S3; it does not look at a trace that went through DynamoDB.",
    edits: [[`${client}/DynamoDBClient.js`, "this.middlewareStack.use(getRecursionDetectionPlugin(this.config));", ""]],
  },
  {
    why: "No client has a logger, yet every input and output would be copied for it.",
    edits: [
      [
        `${aws}/client/middleware-logger/loggerMiddleware.js`,
        "clientStack.add(loggerMiddleware(), loggerMiddlewareOptions);",
        "",
      ],
    ],
  },
  {
    why: "Node has SHA-256; the one in JavaScript is for builds of Node without OpenSSL.",
    edits: [
      [
        `${smithy}/checksum/sha256/Sha256Node.js`,
        "hasNativeCrypto ? buildNativeClass() : Sha256Js",
        "buildNativeClass()",
      ],
    ],
  },
  {
    why: "The region that Lambda names needs no proof that it could be part of a host's name.",
    edits: [[`${smithy}/config/config-resolver/regionConfig/resolveRegionConfig.js`, "checkRegion(realRegion);", ""]],
  },
  {
    why: "No answer holds numbers that JavaScript's own cannot: those of items come as text.",
    edits: [
      [
        `${smithy}/protocols/json/codec-v2/JsonShapeDeserializer2.js`,
        "needsReviver(schema) ? jsonReviver : undefined",
        "undefined",
      ],
      [
        `${smithy}/protocols/json/parseJsonBody.js`,
        "schema && needsReviver(schema) ? jsonReviver : undefined",
        "undefined",
      ],
    ],
  },
  {
    why: "A time comes as seconds in the protocols that are spoken here; other forms belong to REST and XML.",
    edits: [
      [
        `${smithy}/protocols/json/codec-v2/JsonShapeDeserializer2.js`,
        / {16}case [56]:\n {20}return parseRfc\w+\(value\);\n/g,
        "",
        2,
      ],
    ],
  },
  {
    why: "What answers a function is Node's own stream; only to ask whether it is the web's loads these.",
    edits: [
      [`${smithy}/serde/util-stream/stream-collector.js`, "isBlob(stream)", "false"],
      [`${smithy}/serde/util-stream/stream-collector.js`, "isReadableStream(stream)", "false"],
    ],
  },
  {
    why: "No body is a file, and only to ask whether it is one loads Node's file streams.",
    edits: [
      [
        `${smithy}/serde/util-body-length/calculateBodyLength.js`,
        /else if \(body instanceof ReadStream\) \{[^]*?\n {4}\}\n/g,
        "",
      ],
    ],
  },
  {
    why: "A body is bytes; only middleware that takes it for text needs more than a Buffer.",
    edits: [
      [
        `${smithy}/protocols/json/codec-v2/JsonShapeSerializer2.js`,
        "JsonBytesStringAdapter.allocUnsafe(size)",
        "Buffer.allocUnsafe(size)",
      ],
    ],
  },
  {
    why: "What is base64 in an answer was made by DynamoDB; to look at each letter of it takes longer than to decode it.",
    edits: [
      [
        `${smithy}/serde/util-base64/fromBase64.js`,
        /const BASE64_REGEX = .*\n|    if \(!BASE64_REGEX\.exec\(input\)\) \{[^}]*\}\n/g,
        "",
        2,
      ],
    ],
  },
  {
    why: "Only the messages of event streams are signed one by one.",
    edits: [["@smithy/signature-v4/dist-es/SignatureV4.js", "headerFormatter = new HeaderFormatter();", ""]],
  },
  {
    why: "An error that is not registered comes out as the client's own exception with its name and message.",
    edits: [
      [
        `${client}/schemas/schemas_0.js`,
        new RegExp(`^n0_registry\\.registerError\\((?!(?:${itemErrors.join("|")})\\$).*\\n`, "gm"),
        "",
        22,
      ],
      [`${secrets}/schemas/schemas_0.js`, /^n0_registry\.registerError\(.*\n/gm, "", 12],
    ],
  },
  {
    why: "Nothing pages through the paginators, and esbuild cannot know that making one has no effect.",
    edits: [
      [`${documents}/pagination/QueryPaginator.js`, "= createPaginator(", "= /* @__PURE__ */ createPaginator("],
      [`${documents}/pagination/ScanPaginator.js`, "= createPaginator(", "= /* @__PURE__ */ createPaginator("],
    ],
  },
  {
    why: "Of its package.json a client reads the version.",
    edits: ["dynamodb", "secrets-manager"].map((name) => [
      `@aws-sdk/client-${name}/package.json`,
      /^\{[^]*("version": "[^"]+")[^]*\}\s*$/g,
      "{ $1 }",
    ]),
  },
];
