import { join } from "node:path";
import { CfnResource, Duration } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  Code,
  type EnvironmentOptions,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { type StackVariable, standInVariables } from "#lib/env.ts";
import type { Settings } from "../settings.ts";

const dist = join(import.meta.dirname, "../../dist");

/** Declared but empty, which counts as missing. */
const standIns = Object.fromEntries(Object.keys(standInVariables).map((name) => [name, ""]));

export type NodeFunctionProps = {
  /** The folder of its bundle under `dist`: `members/list`. */
  readonly bundle: string;
  readonly description: string;
  /** Ten seconds unless told otherwise. */
  readonly timeout?: Duration;
  /** In megabytes: 512 unless told otherwise. */
  readonly memory?: number;
  readonly settings: Settings;
};

/** One function with a role and a log group of its own. All that it may do is write its log. */
export class NodeFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, { bundle, description, timeout, memory, settings }: NodeFunctionProps) {
    const { logRetention: retention, removalPolicy } = settings;
    const logGroup = new LogGroup(scope, `${id}Logs`, { retention, removalPolicy });
    // A role that CDK makes brings a managed policy along: every log group of the account, and making more of them.
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    logGroup.grantWrite(role);

    super(scope, id, {
      description,
      code: Code.fromAsset(join(dist, bundle)),
      handler: "index.handler",
      environment: settings.takesStandIns ? standIns : {},
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memory ?? 512,
      timeout: timeout ?? Duration.seconds(10),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
    });

    // A name that people can say: `MembersList`, here and in the console, wherever the function moves in the stack.
    const resource = this.node.defaultChild;
    if (CfnResource.isCfnResource(resource)) resource.overrideLogicalId(id);
  }

  /** Sets a variable that `lib/env.ts` knows. */
  override addEnvironment(name: StackVariable, value: string, options?: EnvironmentOptions): this {
    return super.addEnvironment(name, value, options);
  }
}
