import { Grant } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";
import type { NodeFunction } from "./node-function.ts";
import { PrivateBucket } from "./private-bucket.ts";

/** The actions of `lib/discovery/snapshot.ts`. */
const actions = { read: ["s3:GetObject"], write: ["s3:PutObject", "s3:DeleteObject"] };

/** The bucket of the directory's snapshots. They can be recreated from the table. */
export class Snapshots extends Construct {
  readonly #bucket: PrivateBucket;

  constructor(scope: Construct, id: string, { removalPolicy }: Settings) {
    super(scope, id);
    // A snapshot is used for a day. Older ones were left by failed runs.
    this.#bucket = new PrivateBucket(this, "Bucket", { keepDays: 7, removalPolicy });
  }

  /** Allows a function to read or replace snapshots, and sets the bucket's name in the environment. */
  open(grantee: NodeFunction, access: keyof typeof actions): void {
    grantee.addEnvironment("SNAPSHOTS_BUCKET", this.#bucket.bucketName);
    const resourceArns = [this.#bucket.arnForObjects("directory/*")];
    Grant.addToPrincipal({ grantee, actions: actions[access], resourceArns });
  }
}
