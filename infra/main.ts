import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks, ServerlessChecks } from "cdk-nag";
import { acknowledged } from "./acknowledged.ts";
import { recoveryFrom } from "./recovery.ts";
import { settingsFor } from "./settings.ts";
import { OdisStack } from "./stack.ts";

const app = new App();
const context = (name: string): unknown => app.node.tryGetContext(name);
const settings = settingsFor(app.node.tryGetContext("stage") ?? "sandbox");
const stack = new OdisStack(app, { ...settings, ...recoveryFrom(context) });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
Validations.of(stack).acknowledge(...acknowledged);
