import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import type { Settings } from "../../infra/settings.ts";
import { OdisStack } from "../../infra/stack.ts";

/** What prod cannot be deployed without. */
export const prodFile = {
  allowOrigins: ["https://app.example.com"],
  alarmsTo: ["operators@example.com"],
  sender: {
    from: "Odis <no-reply@example.com>",
    identityArn: "arn:aws:ses:eu-central-1:123456789012:identity/example.com",
  },
};

/** What the tests read of a resource of CloudFormation. */
type Resource<Properties> = {
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly Properties: Properties;
};

/** A stack as CloudFormation would get it. The bundles are hashed where they lie, not copied. */
export function synthesized(settings: Settings) {
  const app = new App({ context: { "aws:cdk:disable-asset-staging": true } });
  const template = Template.fromStack(new OdisStack(app, settings));
  return {
    template,
    resources: <Properties>(type: string) =>
      template.findResources(type) as Readonly<Record<string, Resource<Properties>>>,
  };
}
