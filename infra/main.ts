import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks, ServerlessChecks } from "cdk-nag";
import { acknowledged } from "./acknowledged.ts";
import { recoveryFrom } from "./recovery.ts";
import { readStageFile, settingsFor } from "./settings.ts";
import { OdisStack } from "./stack.ts";

const app = new App();
const context = (name: string) => app.node.tryGetContext(name) as string | undefined;
const stage = context("stage") ?? "sandbox";
const settings = settingsFor(stage, readStageFile(stage), { isFirst: context("first") === "true" });
const stack = new OdisStack(app, { ...settings, ...recoveryFrom(context) });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
Validations.of(stack).acknowledge(...acknowledged);
