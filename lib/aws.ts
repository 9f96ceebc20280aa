import {
  CognitoIdentityProviderClient,
  type CognitoIdentityProviderClientConfig,
} from "@aws-sdk/client-cognito-identity-provider";
import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { EventBridgeClient, type EventBridgeClientConfig } from "@aws-sdk/client-eventbridge";
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { SecretsManagerClient, type SecretsManagerClientConfig } from "@aws-sdk/client-secrets-manager";
import { SQSClient, type SQSClientConfig } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, type TranslateConfig } from "@aws-sdk/lib-dynamodb";
import { isSet } from "./env.ts";

// The clients of the AWS SDK. Callers set their attempts and timeouts. The build removes the parts that functions never use
// (`tools/build/replacements.ts`).

/** A DynamoDB client that takes and returns JavaScript values. */
export const documentClient = ({
  translateConfig,
  ...options
}: DynamoDBClientConfig & { readonly translateConfig?: TranslateConfig } = {}): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient(options), translateConfig);

export const cognitoClient = (options: CognitoIdentityProviderClientConfig = {}) =>
  new CognitoIdentityProviderClient(options);

export const eventBridgeClient = (options: EventBridgeClientConfig = {}) => new EventBridgeClient(options);

export const secretsManagerClient = (options: SecretsManagerClientConfig = {}) => new SecretsManagerClient(options);

/** An SQS client that does not check MD5 hashes, as TLS does, and uses the region's endpoint instead of the queue URL's host. */
export const sqsClient = (options: SQSClientConfig = {}) =>
  new SQSClient({ ...options, md5: false, useQueueUrlAsEndpoint: false });

/** An S3 client without checksums in addition to signature and TLS. Stand-ins require the bucket in the path. */
export const s3Client = (options: S3ClientConfig = {}) =>
  new S3Client({
    ...options,
    forcePathStyle: isSet("AWS_ENDPOINT_URL_S3") || isSet("AWS_ENDPOINT_URL"),
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
