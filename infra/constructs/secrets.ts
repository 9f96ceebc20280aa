import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";
import type { NodeFunction } from "./node-function.ts";

/** What must not be known, each in a secret of its own. */
export class Secrets extends Construct {
  /**
   * Signs cursors. A reference that CloudFormation resolves, so that no request waits for it and no template shows it;
   * who may read the function's configuration can read it, which is fine for a key whose signatures grant nothing.
   */
  readonly cursorKey: string;
  /**
   * Where what Stripe knows us by is, `{"secret_key":"sk_…","webhook_secret":"whsec_…"}`: put in by hand after the first
   * deployment, read by functions when they first need it, and never by this stack.
   */
  readonly stripeArn: string;

  constructor(scope: Construct, id: string, { removalPolicy }: Settings) {
    super(scope, id);
    const secret = new Secret(this, "CursorKey", {
      description: "Signs the cursors of lists",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy,
    });
    this.cursorKey = secret.secretValue.unsafeUnwrap();
    const description = "Stripe's secret key and webhook secret";
    this.stripeArn = new Secret(this, "Stripe", { description, removalPolicy }).secretArn;
  }

  /** Lets a function read what Stripe knows us by, and tells it where that is. */
  openStripe(reader: NodeFunction): void {
    reader.addEnvironment("STRIPE_SECRET_ARN", this.stripeArn);
    reader.addToRolePolicy(
      new PolicyStatement({ actions: ["secretsmanager:GetSecretValue"], resources: [this.stripeArn] }),
    );
  }
}
