import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import type { Route } from "#lib/contract/route.ts";
import type { Settings } from "../settings.ts";
import type { NodeFunction } from "./node-function.ts";

type StripeAccess = NonNullable<Route["billing"]>;

/** The secrets of the stack. */
export class Secrets extends Construct {
  /**
   * Key that signs cursors and previews of changes. Referenced in the template and resolved by CloudFormation, so that no
   * request has to read it and no template contains it. The configuration of functions shows the key, which is acceptable
   * because cursors grant no access, and a preview only fixes a price of the last ten minutes.
   */
  readonly cursorKey: string;
  /**
   * Stripe's keys, which `npm run stripe:setup` stores after the first deployment. Functions read them at their first use.
   * `write`: `{"secret_key":"sk_…","webhook_secret":"whsec_…"}`. `read`: `{"secret_key":"rk_…"}`, a read-only key for routes
   * that only read.
   */
  readonly stripeArns: Readonly<Record<StripeAccess, string>>;

  /** The key that encrypts the secrets of event destinations. If the key is lost, all these secrets must be rotated. */
  readonly sealingKeyArn: string;

  constructor(scope: Construct, id: string, { removalPolicy }: Settings) {
    super(scope, id);
    const secret = new Secret(this, "CursorKey", {
      description: "Signs the cursors of lists",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy,
    });
    this.cursorKey = secret.secretValue.unsafeUnwrap();
    this.sealingKeyArn = new Secret(this, "SealingKey", {
      description: "Encrypts the secrets of event destinations",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy,
    }).secretArn;
    const secretArn = (name: string, description: string) =>
      new Secret(this, name, { description, removalPolicy }).secretArn;
    this.stripeArns = {
      write: secretArn("Stripe", "Stripe's secret key and webhook secret"),
      read: secretArn("StripeReading", "A key of Stripe that can only read"),
    };
  }

  /** Allows a function to encrypt and decrypt secrets of event destinations. */
  openSealing(user: NodeFunction): void {
    user.addEnvironment("SEALING_KEY_ARN", this.sealingKeyArn);
    this.#letRead(user, this.sealingKeyArn);
  }

  /** Allows a function to read one secret of Stripe, and sets its ARN in the environment. */
  openStripe(reader: NodeFunction, access: StripeAccess): void {
    const arn = this.stripeArns[access];
    reader.addEnvironment("STRIPE_SECRET_ARN", arn);
    this.#letRead(reader, arn);
  }

  #letRead(reader: NodeFunction, arn: string): void {
    reader.addToRolePolicy(new PolicyStatement({ actions: ["secretsmanager:GetSecretValue"], resources: [arn] }));
  }
}
