import { join } from "node:path";
import { Stack, Validations } from "aws-cdk-lib";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Asset } from "aws-cdk-lib/aws-s3-assets";
import { BucketDeployment, CacheControl, Source } from "aws-cdk-lib/aws-s3-deployment";
import { Construct } from "constructs";
import { deploymentInfo, deploymentInfoPath } from "../../site/deployment-info.ts";
import { cacheControl, hashed } from "../../site/headers.ts";
import type { Settings } from "../settings.ts";
import { type Identity, signInUrlOf } from "./identity.ts";
import { PrivateBucket } from "./private-bucket.ts";

/** Built by `tools/build/site/site.ts`. */
const files = join(import.meta.dirname, "../../dist/site");

type Props = { readonly settings: Settings };

/**
 * The bucket of the static site, and its files. CloudFormation deploys the files, so that a rollback includes them. Files of
 * earlier deployments are kept for open pages.
 */
export class Site extends Construct {
  readonly bucket: PrivateBucket;
  readonly #settings: Settings;

  constructor(scope: Construct, id: string, { settings }: Props) {
    super(scope, id);
    this.#settings = settings;
    const { removalPolicy } = settings;
    this.bucket = new PrivateBucket(this, "Bucket", { removalPolicy });
  }

  /** Deploys the files. @param url the URL of API and site */
  deploy(url: string, { pool, client }: Identity): void {
    const { stage, joinUrl, removalPolicy, isProtected, logRetention: retention } = this.#settings;
    const asset = new Asset(this, "Files", { path: files });
    const logGroup = new LogGroup(this, "Logs", { retention, removalPolicy });
    const shared = {
      sources: [Source.bucket(asset.bucket, asset.s3ObjectKey)],
      destinationBucket: this.bucket,
      // CDK's own policies have actions with wildcards.
      role: this.#writer(asset, logGroup).withoutPolicyUpdates(),
      logGroup,
      memoryLimit: 512,
      prune: false,
      // CloudFormation deletes only empty buckets, so the files of a sandbox or of a failed first deployment are deleted.
      retainOnDelete: isProtected,
    };
    const scripts = new BucketDeployment(this, "Hashed", {
      ...shared,
      exclude: ["*"],
      include: [`${hashed}/*`],
      cacheControl: [CacheControl.fromString(cacheControl.hashed)],
    });
    const { region } = Stack.of(this);
    // Some of this is known only during deployment.
    const info = deploymentInfo({
      api_url: url,
      region,
      user_pool_id: pool.userPoolId,
      client_id: client.userPoolClientId,
      sign_in_url: signInUrlOf(region),
      stage,
      ...(joinUrl !== undefined && { join_url: joinUrl }),
    });
    const pages = new BucketDeployment(this, "Others", {
      ...shared,
      sources: [...shared.sources, Source.jsonData(deploymentInfoPath.slice(1), info)],
      exclude: [`${hashed}/*`],
      cacheControl: [CacheControl.fromString(cacheControl.others)],
    });
    // Pages are deployed after the files that they refer to.
    pages.node.addDependency(scripts);
    this.#acknowledge();
  }

  /** The role that copies the files from the asset to the bucket, and logs why a copy fails. */
  #writer(asset: Asset, { logGroupArn }: LogGroup): Role {
    const { bucketArn } = this.bucket;
    const allow = (actions: string[], resource: string) => new PolicyStatement({ actions, resources: [resource] });
    const statements = [
      allow(["s3:GetObject"], asset.bucket.arnForObjects("*")),
      allow(["s3:ListBucket", "s3:GetBucketTagging"], bucketArn),
      allow(["s3:PutObject", "s3:DeleteObject"], `${bucketArn}/*`),
      allow(["logs:CreateLogStream", "logs:PutLogEvents"], logGroupArn),
    ];
    const role = new Role(this, "Writer", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: { rights: new PolicyDocument({ statements }) },
    });
    const reason = "It copies whatever the site consists of, from an asset whose name changes with the contents";
    Validations.of(role).acknowledge(
      {
        id: "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-<AWS::Region>/*]",
        reason,
      },
      { id: "AwsSolutions-IAM5[Resource::<SiteBucket978D4AEB.Arn>/*]", reason },
    );
    return role;
  }

  /** Acknowledges findings about CDK's function that copies the files. */
  #acknowledge(): void {
    const copier = Stack.of(this).node.children.find(({ node }) => node.id.startsWith("Custom::CDKBucketDeployment"));
    if (!copier) throw new Error("CDK names the function of a bucket deployment in another way");
    const reason = "CDK chooses and updates the runtime of the function that copies the site";
    Validations.of(copier).acknowledge(
      { id: "AwsSolutions-L1", reason },
      { id: "Serverless-LambdaLatestVersion", reason },
    );
  }
}
