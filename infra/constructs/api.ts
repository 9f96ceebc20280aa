import { ArnFormat, Duration, Fn, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import {
  ApiMapping,
  CfnStage,
  CorsHttpMethod,
  type CorsPreflightOptions,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpRoute,
  type HttpRouteIntegrationBindOptions,
  type HttpRouteIntegrationConfig,
  HttpRouteKey,
  HttpStage,
  IntegrationCredentials,
  LogGroupLogDestination,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { type PlacedRoute, routes } from "#lib/contract/index.ts";
import { cors } from "#lib/http/cors.ts";
import type { Settings } from "../settings.ts";
import { AccessMetrics } from "./access-metrics.ts";
import { KeepWarm } from "./keep-warm.ts";
import { functionName } from "./node-function.ts";
import { type Resources, RouteFunction } from "./route-function.ts";

/** The HTTP API, with a gateway route and a function for each route of the contract. */
export class Api extends Construct {
  /** Host name to which CloudFront sends API requests. */
  readonly host: string;
  /** The name of the setting `apiDomain` in API Gateway. */
  readonly domain: { readonly mapping: ApiMapping; readonly target: string } | undefined;
  readonly id: string;
  readonly stage: HttpStage;
  /** One line per request. */
  readonly accessLog: LogGroup;
  readonly metrics: AccessMetrics;

  constructor(scope: Construct, id: string, resources: Resources) {
    super(scope, id);
    const { settings } = resources;
    const { apiDomain } = settings;
    const httpApi = new HttpApi(this, "HttpApi", {
      apiName: `odis-${settings.stage}`,
      createDefaultStage: false,
      // CloudFormation updates the API before the distribution, so CloudFront must use the name already.
      disableExecuteApiEndpoint: apiDomain?.use === "exclusive",
      ...(settings.allowOrigins.length > 0 && { corsPreflight: corsOf(settings) }),
    });
    const { logRetention: retention, removalPolicy } = settings;
    this.accessLog = new LogGroup(this, "AccessLog", {
      retention,
      removalPolicy,
      // For any other name, each new stack adds an ARN to a resource policy of the account that nobody removes. A log group that is
      // retained has a generated name, so that a new stack can be created beside it.
      ...(removalPolicy === RemovalPolicy.DESTROY && { logGroupName: `/aws/vendedlogs/odis-${settings.stage}-access` }),
    });
    this.stage = new HttpStage(this, "Stage", {
      httpApi,
      stageName: "$default",
      autoDeploy: true,
      throttle: settings.maintenance ? closed : settings.throttle,
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.accessLog),
        format: accessLog,
      },
    });

    this.metrics = new AccessMetrics(this, "Metrics", {
      accessLog: this.accessLog,
      money: routes.filter(isTight),
      settings,
    });

    const invoker = invokerOf(this, settings);
    const functions = new Map<string, RouteFunction>();
    const placed = routes.map((route) => {
      const handler = new RouteFunction(this, route, resources);
      functions.set(route.id, handler);
      const integration = new InvokedByRole(`${route.id}Integration`, handler, invoker);
      return new HttpRoute(this, `${route.id}Route`, { httpApi, routeKey: routeKeyOf(route), integration });
    });
    setRoutes(this.stage, settings);
    // CloudFormation must create the routes before their settings.
    this.stage.node.addDependency(...placed);

    if (settings.keepWarm) new KeepWarm(this, "KeepWarm", { functions, settings });

    this.id = httpApi.apiId;
    this.host = apiDomain && apiDomain.use !== "none" ? apiDomain.name : Fn.parseDomainName(httpApi.apiEndpoint);
    this.domain = apiDomain && this.#mapDomain(httpApi, apiDomain);
  }

  #mapDomain(api: HttpApi, { name, certificateArn }: NonNullable<Settings["apiDomain"]>): Api["domain"] {
    const certificate = Certificate.fromCertificateArn(this, "Certificate", certificateArn);
    const domainName = new DomainName(this, "Domain", { domainName: name, certificate });
    const mapping = new ApiMapping(this, "Mapping", { api, domainName, stage: this.stage });
    return { mapping, target: domainName.regionalDomainName };
  }
}

/**
 * The role with which the gateway calls functions: one resource instead of a permission per function. It may call the
 * functions of routes, but no triggers. Uses a pattern, as a list of names would exceed the 10 KB for policies of a role.
 */
function invokerOf(scope: Construct, settings: Settings): Role {
  const areas = new Set(routes.map(({ id, name }) => id.slice(0, id.length - name.length)));
  const names = Array.from(areas, (area) => functionName(settings, `${area}*`));
  const arnOf = (resourceName: string) => {
    const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
    return Stack.of(scope).formatArn({ service: "lambda", resource: "function", resourceName, arnFormat });
  };
  const invoke = new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: names.map(arnOf) });
  const role = new Role(scope, "Invoker", {
    assumedBy: new ServicePrincipal("apigateway.amazonaws.com"),
    inlinePolicies: { invoke: new PolicyDocument({ statements: [invoke] }) },
  });
  const place = "arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function";
  Validations.of(role).acknowledge(
    ...names.map((name) => ({
      id: `AwsSolutions-IAM5[Resource::${place}:${name}]`,
      reason: "The functions of routes by the prefix of their area, as their names exceed what a role may hold",
    })),
  );
  return role;
}

/** An integration that calls its function with a role. CDK's own integration would add a permission to the function. */
class InvokedByRole extends HttpLambdaIntegration {
  readonly #role: Role;

  constructor(id: string, handler: IFunction, role: Role) {
    super(id, handler);
    this.#role = role;
  }

  override bind(options: HttpRouteIntegrationBindOptions): HttpRouteIntegrationConfig {
    return { ...super.bind(options), credentials: IntegrationCredentials.fromRole(this.#role) };
  }

  protected override completeBind(): void {
    // No permission is needed, because the role allows the call.
  }
}

/** Makes the gateway respond to every request with 429 (https://github.com/pulumi/pulumi-aws/issues/2363). */
const closed = { rateLimit: 0, burstLimit: 0 };

/** Whether a route has the tight throttle, because it moves money or blocks people. */
const isTight = ({ limited }: PlacedRoute): boolean => limited === "money" || limited === "refunds";

/** Sets the throttle of routes that move money or block people. */
function setRoutes({ node: { defaultChild } }: HttpStage, { maintenance, tightThrottle }: Settings): void {
  if (!(defaultChild instanceof CfnStage)) return;
  const { rateLimit, burstLimit } = maintenance ? closed : tightThrottle;
  const settings = { ThrottlingRateLimit: rateLimit, ThrottlingBurstLimit: burstLimit };
  defaultChild.routeSettings = Object.fromEntries(routes.filter(isTight).map(({ key }) => [key, settings]));
}

function routeKeyOf({ method, path }: PlacedRoute): HttpRouteKey {
  return path === "$default" ? HttpRouteKey.DEFAULT : HttpRouteKey.with(path, HttpMethod[method]);
}

const corsOf = ({ allowOrigins }: Settings): CorsPreflightOptions => ({
  allowOrigins: [...allowOrigins],
  allowMethods: cors.allowMethods.map((method) => CorsHttpMethod[method]),
  allowHeaders: [...cors.allowHeaders],
  exposeHeaders: [...cors.exposeHeaders],
  maxAge: Duration.hours(1),
});

/** One line of JSON per request. Contains the route instead of the path, which may identify people, and no IP address. */
const accessLog = AccessLogFormat.custom(
  JSON.stringify({
    request_id: "$context.requestId",
    time: "$context.requestTime",
    route: "$context.routeKey",
    status: "$context.status",
    latency: "$context.responseLatency",
    functionLatency: "$context.integrationLatency",
    bytes: "$context.responseLength",
    error: "$context.error.message",
    functionError: "$context.integrationErrorMessage",
  }),
);
