import { App, type AppProps, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks, ServerlessChecks } from "cdk-nag";
import { acknowledged } from "./acknowledged.ts";
import { recoveryFrom } from "./recovery.ts";
import { readStageFile, settingsFor } from "./settings.ts";
import { OdisStack } from "./stack.ts";

/**
 * The app that the CDK deploys: the stack of one stage, checked against the rule packs of cdk-nag when it is synthesized.
 * The context `stage` names the stage (`sandbox` if it is not set); `first=true` is for a first deployment. Other context is
 * that of `recoveryFrom`.
 *
 * @param read reads the settings of a stage
 * @throws Error for context or settings that cannot be deployed
 */
export function createApp(props: AppProps = {}, read: (stage: string) => unknown = readStageFile) {
  const app = new App(props);
  const context = (name: string) => app.node.tryGetContext(name) as string | undefined;
  const stage = context("stage") ?? "sandbox";
  const settings = settingsFor(stage, read(stage), { isFirst: context("first") === "true" });
  const stack = new OdisStack(app, { ...settings, ...recoveryFrom(context) });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  Validations.of(stack).acknowledge(...acknowledged);
  return { app, stack };
}
