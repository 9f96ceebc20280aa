import { Grant, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { exportKey, exportStateKey } from "#lib/accounts/export.ts";
import type { Settings } from "../settings.ts";
import type { Identity } from "./identity.ts";
import type { NodeFunction } from "./node-function.ts";
import { PrivateBucket } from "./private-bucket.ts";

type Props = { readonly identity: Identity; readonly settings: Settings };

/**
 * Days after which an export that was replaced is deleted, as backups of the table are. An export that is no longer replaced,
 * such as that of a lost pool, becomes an old version after as many days.
 */
const keepDays = 35;

/** The bucket with the exports of the user pool's accounts, which contain names and email addresses. */
export class AccountExports extends Construct {
  readonly #bucket: PrivateBucket;
  readonly #identity: Identity;

  constructor(scope: Construct, id: string, { identity, settings }: Props) {
    super(scope, id);
    this.#identity = identity;
    const { removalPolicy } = settings;
    this.#bucket = new PrivateBucket(this, "Bucket", { versioned: true, keepDays, removalPolicy });
  }

  get bucketName(): string {
    return this.#bucket.bucketName;
  }

  /** Allows a function to list the accounts of the pool, and to write their export and its state. */
  open(grantee: NodeFunction): void {
    const { userPoolId, userPoolArn } = this.#identity.pool;
    grantee.addEnvironment("ACCOUNTS_BUCKET", this.bucketName);
    grantee.addEnvironment("USER_POOL_ID", userPoolId);
    const grant = (actions: string[], resource: string) =>
      Grant.addToPrincipal({ grantee, actions, resourceArns: [resource] });
    const state = this.#bucket.arnForObjects(exportStateKey(userPoolId));
    grant(["s3:PutObject"], this.#bucket.arnForObjects(exportKey(userPoolId)));
    grant(["s3:GetObject", "s3:PutObject"], state);
    // Without it, S3 returns 403 instead of 404 before the first export.
    grant(["s3:ListBucket"], this.#bucket.bucketArn);
    const actions = ["ListGroups", "ListUsers", "ListUsersInGroup"].map((action) => `cognito-idp:${action}`);
    grantee.addToRolePolicy(new PolicyStatement({ actions, resources: [userPoolArn] }));
  }
}
