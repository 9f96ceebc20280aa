import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";

/** Keys that nobody has to know: AWS makes them up, and functions get them at deployment. */
export class Secrets extends Construct {
  /**
   * Signs cursors. A reference that CloudFormation resolves, so that no request waits for it and no template shows it;
   * who may read the function's configuration can read it, which is fine for a key whose signatures grant nothing.
   */
  readonly cursorKey: string;

  constructor(scope: Construct, id: string, { removalPolicy }: Settings) {
    super(scope, id);
    const secret = new Secret(this, "CursorKey", {
      description: "Signs the cursors of lists",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy,
    });
    this.cursorKey = secret.secretValue.unsafeUnwrap();
  }
}
