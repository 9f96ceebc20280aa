import { CognitoIdentityProviderClient } from "@aws-sdk/client-cognito-identity-provider";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type * as aws from "#lib/aws.ts";

// The clients of lib/aws.ts as the AWS SDK makes them itself. Tests and the bench compare the two.

export const documentClient: typeof aws.documentClient = (options) =>
  DynamoDBDocumentClient.from(new DynamoDBClient(options ?? {}), options?.translateConfig);

export const cognitoClient: typeof aws.cognitoClient = (options) => new CognitoIdentityProviderClient(options ?? {});

export const eventBridgeClient: typeof aws.eventBridgeClient = (options) => new EventBridgeClient(options ?? {});

export const secretsManagerClient: typeof aws.secretsManagerClient = (options) =>
  new SecretsManagerClient(options ?? {});
