import { Grant } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";
import type { NodeFunction } from "./node-function.ts";
import { PrivateBucket } from "./private-bucket.ts";

/** What `lib/discovery/snapshot.ts` does with its objects. */
const actions = { read: ["s3:GetObject"], write: ["s3:PutObject", "s3:DeleteObject"] };

/** The bucket of the directory's snapshots, which are made anew from the table. */
export class Snapshots extends Construct {
  readonly #bucket: PrivateBucket;

  constructor(scope: Construct, id: string, { removalPolicy }: Settings) {
    super(scope, id);
    // A snapshot serves for a day. What is older was left behind by a run that failed.
    this.#bucket = new PrivateBucket(this, "Bucket", { keepDays: 7, removalPolicy });
  }

  /** Lets a function read snapshots, or replace them, and sets the bucket's name. */
  open(grantee: NodeFunction, access: keyof typeof actions): void {
    grantee.addEnvironment("SNAPSHOTS_BUCKET", this.#bucket.bucketName);
    const resourceArns = [this.#bucket.arnForObjects("directory/*")];
    Grant.addToPrincipal({ grantee, actions: actions[access], resourceArns });
  }
}
