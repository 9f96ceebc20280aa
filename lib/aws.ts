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

// The clients of the AWS SDK, with the number of attempts and the time-outs of each place. What functions never use of
// them is left out by the build (`tools/build/replacements.ts`).

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

/** Without the MD5 of what arrives, as TLS checks that, and with the endpoint of the region instead of the host of the queue's URL. */
export const sqsClient = (options: SQSClientConfig = {}) =>
  new SQSClient({ ...options, md5: false, useQueueUrlAsEndpoint: false });

/** Without checksums in addition to those of signature and TLS. Stand-ins take the bucket as a part of the path. */
export const s3Client = (options: S3ClientConfig = {}) =>
  new S3Client({
    ...options,
    forcePathStyle: isSet("AWS_ENDPOINT_URL_S3") || isSet("AWS_ENDPOINT_URL"),
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
