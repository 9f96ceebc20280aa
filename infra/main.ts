import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks, ServerlessChecks } from "cdk-nag";
import { acknowledged } from "./acknowledged.ts";
import { settingsFor } from "./settings.ts";
import { OdisStack } from "./stack.ts";

const app = new App();
const isFirst = app.node.tryGetContext("first") === "true";
const settings = settingsFor(app.node.tryGetContext("stage") ?? "sandbox", { isFirst });
const stack = new OdisStack(app, settings);
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
Validations.of(stack).acknowledge(...acknowledged);
