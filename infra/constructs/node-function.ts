import { join } from "node:path";
import { CfnResource, Duration, Stack } from "aws-cdk-lib";
import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  ServicePrincipal,
} from "aws-cdk-lib/aws-iam";
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  type EnvironmentOptions,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
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
  /** The log group that it shares. */
  readonly logs: "routes" | "triggers";
  /** A name of what it may do besides writing its log: functions of one scope with the same name share a role. Its id if not set. */
  readonly rights?: string;
  /** Ten seconds unless told otherwise. */
  readonly timeout: Duration;
  /** In megabytes: 512 unless told otherwise. */
  readonly memory?: number;
  /** Concurrent executions that no other function can use up. */
  readonly reservedConcurrency?: number | undefined;
  readonly settings: Settings;
};

/**
 * The name of a function in its account: `odis-prod-MembersList`. The gateway's right to call functions depends on it, so
 * it never changes: CloudFormation cannot replace a resource that has a name.
 */
export const functionName = ({ stage }: Pick<Settings, "stage">, id: string): string => `odis-${stage}-${id}`;

/** A function. All that it may do is write its log. */
export class NodeFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: NodeFunctionProps) {
    const { bundle, description, logs, rights, timeout, memory, reservedConcurrency, settings } = props;
    const logGroup = logGroupOf(scope, logs, settings);
    // A role that CDK makes brings a managed policy along: every log group of the account, and making more of them.
    const role = roleOf(scope, rights ?? id);
    logGroup.grantWrite(role);

    // Lambda refuses every call of a function that may not run once.
    const reserved = settings.maintenance ? 0 : reservedConcurrency;
    super(scope, id, {
      functionName: functionName(settings, id),
      description,
      code: Code.fromAsset(join(dist, bundle)),
      handler: "index.handler",
      environment: settings.takesStandIns ? standIns : {},
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memory ?? 512,
      timeout,
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      // Without the lines about each start and report; those of failures and time-outs are of this level.
      systemLogLevelV2: SystemLogLevel.WARN,
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

/** The role of all functions of a scope with these rights. A right that several of them are given is in it once. */
function roleOf(scope: Construct, rights: string): FunctionRole {
  const id = `${rights}Role`;
  const existing = scope.node.tryFindChild(id);
  return existing instanceof FunctionRole ? existing : new FunctionRole(scope, id);
}

/** A role whose rights are part of it. CDK's own puts them into a policy, which is one more resource for each role. */
class FunctionRole extends Role {
  readonly #rights: PolicyDocument;

  constructor(scope: Construct, id: string) {
    const rights = new PolicyDocument();
    super(scope, id, { assumedBy: new ServicePrincipal("lambda.amazonaws.com"), inlinePolicies: { rights } });
    this.#rights = rights;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.#rights.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}

function logGroupOf(
  scope: Construct,
  logs: NodeFunctionProps["logs"],
  { logRetention: retention, removalPolicy }: Settings,
): LogGroup {
  const stack = Stack.of(scope);
  const id = `Logs-${logs}`;
  const there = stack.node.tryFindChild(id);
  return there instanceof LogGroup ? there : new LogGroup(stack, id, { retention, removalPolicy });
}
