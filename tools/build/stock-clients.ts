import { Readable } from "node:stream";
import { CognitoIdentityProviderClient } from "@aws-sdk/client-cognito-identity-provider";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type * as aws from "#lib/aws.ts";

// The clients of lib/aws.ts as the AWS SDK makes them itself. Tests and the bench compare the two.

export const documentClient: typeof aws.documentClient = (options) =>
  DynamoDBDocumentClient.from(new DynamoDBClient(options ?? {}), options?.translateConfig);

export const cognitoClient: typeof aws.cognitoClient = (options) => new CognitoIdentityProviderClient(options ?? {});

export const eventBridgeClient: typeof aws.eventBridgeClient = (options) => new EventBridgeClient(options ?? {});

export const s3Client: typeof aws.s3Client = (options) => {
  const client = new S3Client({
    ...options,
    forcePathStyle: Boolean(process.env.AWS_ENDPOINT_URL_S3 || process.env.AWS_ENDPOINT_URL),
    // The others are checksums of its own, in addition to the signature's.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  return {
    async send({ operation, bucket: Bucket, key: Key, range: Range, body: Body }, sending) {
      if (operation === "DeleteObject") {
        const { $metadata } = await client.send(new DeleteObjectCommand({ Bucket, Key }), sending);
        return { $metadata, body: Readable.from([]) };
      }
      if (operation === "PutObject") {
        const { $metadata } = await client.send(new PutObjectCommand({ Bucket, Key, Body }), sending);
        return { $metadata, body: Readable.from([]) };
      }
      const { $metadata, Body: body } = await client.send(new GetObjectCommand({ Bucket, Key, Range }), sending);
      return { $metadata, body: body as Readable };
    },
  };
};

export const secretsManagerClient: typeof aws.secretsManagerClient = (options) =>
  new SecretsManagerClient(options ?? {});

/** Without the check of its answers' checksums, and without asking the host of the queue's URL in place of the region's. */
export const sqsClient: typeof aws.sqsClient = (options) =>
  new SQSClient({ ...options, md5: false, useQueueUrlAsEndpoint: false });
