import { App, type AppProps, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks, ServerlessChecks } from "cdk-nag";
import { acknowledged } from "./acknowledged.ts";
import { recoveryFrom } from "./recovery.ts";
import { readStageFile, settingsFor } from "./settings.ts";
import { OdisStack } from "./stack.ts";

/**
 * Creates the CDK app: the stack of one stage, which the rule packs of cdk-nag check during synthesis. Context: `stage` is
 * the name of the stage (default `sandbox`), `first=true` marks a first deployment. `recoveryFrom` reads the rest.
 *
 * @param read reads the settings of a stage
 * @throws Error for invalid context or settings
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
