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
  type RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { type StackVariable, standInVariables } from "#lib/env.ts";
import type { Settings } from "../settings.ts";

const dist = join(import.meta.dirname, "../../dist");

/** Variables for stand-ins, declared with empty values, which count as missing. */
const standIns = Object.fromEntries(Object.keys(standInVariables).map((name) => [name, ""]));

export type NodeFunctionProps = {
  /** Folder of the bundle under `dist`, such as `members/list`. */
  readonly bundle: string;
  readonly description: string;
  /** The shared log group. */
  readonly logs: "routes" | "triggers";
  /** Name of the rights besides logging. Functions of a scope with the same name share a role. Default: the function's id. */
  readonly rights?: string;
  /** Default: 10 seconds. */
  readonly timeout: Duration;
  /** Memory in megabytes. Default: 512. */
  readonly memory?: number;
  /** Concurrent executions that are reserved for this function. */
  readonly reservedConcurrency?: number | undefined;
  /** Whether Lambda stops a chain of calls of the function by itself. Default: after 16 calls. */
  readonly recursiveLoop?: RecursiveLoop;
  readonly settings: Settings;
};

/**
 * The name of a function in its account, such as `odis-prod-MembersList`. The gateway's role allows calls by this pattern.
 * Must not change, because CloudFormation cannot replace a named resource.
 */
export const functionName = ({ stage }: Pick<Settings, "stage">, id: string): string => `odis-${stage}-${id}`;

/** A function, which may only write its log. */
export class NodeFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: NodeFunctionProps) {
    const { bundle, description, logs, rights, timeout, memory, reservedConcurrency, recursiveLoop, settings } = props;
    const logGroup = logGroupOf(scope, logs, settings);
    // A role of CDK would have a managed policy that allows to create and write all log groups of the account.
    const role = roleOf(scope, rights ?? id);
    logGroup.grantWrite(role);

    // With 0 reserved executions, Lambda refuses all calls.
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
      ...(recursiveLoop && { recursiveLoop }),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      // Omits the lines about each start and end, but not those about failures and timeouts.
      systemLogLevelV2: SystemLogLevel.WARN,
    });

    // A readable logical id, such as `MembersList`, which stays the same if the function moves within the stack.
    const resource = this.node.defaultChild;
    if (CfnResource.isCfnResource(resource)) resource.overrideLogicalId(id);
  }

  /** Sets a variable that `lib/env.ts` declares. */
  override addEnvironment(name: StackVariable, value: string, options?: EnvironmentOptions): this {
    return super.addEnvironment(name, value, options);
  }
}

/** The role of all functions of a scope with these rights. Contains each right once. */
function roleOf(scope: Construct, rights: string): FunctionRole {
  const id = `${rights}Role`;
  const existing = scope.node.tryFindChild(id);
  return existing instanceof FunctionRole ? existing : new FunctionRole(scope, id);
}

/** A role with inline policies. CDK's own role would have a separate policy, which is another resource. */
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
