import { Grant, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { erasuresPrefix } from "#lib/person/outside.ts";
import type { Settings } from "../settings.ts";
import type { Identity } from "./identity.ts";
import type { NodeFunction } from "./node-function.ts";
import { PrivateBucket } from "./private-bucket.ts";

type Props = { readonly identity: Identity; readonly settings: Settings };

/**
 * The bucket with a list of erasures, from which they are repeated after a restore of the table. Each object holds a user id
 * and the time of the erasure.
 */
export class Erasures extends Construct {
  readonly #bucket: PrivateBucket;
  readonly #identity: Identity;

  constructor(scope: Construct, id: string, { identity, settings }: Props) {
    super(scope, id);
    this.#identity = identity;
    this.#bucket = new PrivateBucket(this, "Bucket", { versioned: true, removalPolicy: settings.removalPolicy });
  }

  get bucketName(): string {
    return this.#bucket.bucketName;
  }

  /** Allows a function to erase people: to add objects to the bucket, and to find and delete accounts of the user pool. */
  open(grantee: NodeFunction): void {
    const { pool } = this.#identity;
    grantee.addEnvironment("ERASURES_BUCKET", this.bucketName);
    grantee.addEnvironment("USER_POOL_ID", pool.userPoolId);
    const resourceArns = [this.#bucket.arnForObjects(`${erasuresPrefix}*`)];
    Grant.addToPrincipal({ grantee, actions: ["s3:PutObject"], resourceArns });
    const actions = ["cognito-idp:AdminGetUser", "cognito-idp:AdminDeleteUser"];
    grantee.addToRolePolicy(new PolicyStatement({ actions, resources: [pool.userPoolArn] }));
  }
}
