import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks, ServerlessChecks } from "cdk-nag";
import { acknowledged } from "./acknowledged.ts";
import { readStageFile, settingsFor } from "./settings.ts";
import { OdisStack } from "./stack.ts";

const app = new App();
const stage = String(app.node.tryGetContext("stage") ?? "sandbox");
const stack = new OdisStack(app, settingsFor(stage, readStageFile(stage)));
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
Validations.of(stack).acknowledge(...acknowledged);
