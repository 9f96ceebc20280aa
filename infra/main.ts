import { App } from "aws-cdk-lib";
import { settingsFor } from "./settings.ts";
import { OdisStack } from "./stack.ts";

const app = new App();
new OdisStack(app, settingsFor(app.node.tryGetContext("stage") ?? "sandbox"));
