import { Annotations, Duration, Stack, Validations } from "aws-cdk-lib";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import {
  AccessLevel,
  AllowedMethods,
  type BehaviorOptions,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Distribution,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  SecurityPolicyProtocol,
  Function as ViewerFunction,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin, S3BucketOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import { Construct } from "constructs";
import { routes } from "#lib/contract/index.ts";
import { sharedSeconds } from "#lib/contract/time-limits.ts";
import { crossOriginOpenerPolicy } from "../../site/headers.ts";
import { viewerCode } from "../../site/viewer.ts";
import type { Settings } from "../settings.ts";
import type { Api } from "./api.ts";
import { signInUrlOf } from "./identity.ts";
import type { Site } from "./site.ts";

type Props = { readonly api: Api; readonly site: Site; readonly settings: Settings };

/**
 * The CloudFront distribution: paths of the contract go to the HTTP API, all others to the static site. A web ACL is
 * attached here, because HTTP APIs do not support web ACLs.
 */
export class Front extends Construct {
  /** URL of API and site, without a trailing slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, { api, site, settings }: Props) {
    super(scope, id);
    const { stage, domain, webAclArn, apiDomain } = settings;
    const toApi = this.#behaviorOfApi(api, settings);
    const toSite = this.#behaviorOfSite(site, settings);
    const distribution = new Distribution(this, "Distribution", {
      comment: `odis-${stage}`,
      defaultBehavior: toSite,
      // A CloudFront function maps `/` to a page. The default object is a fallback: without it, S3 would list the
      // bucket.
      defaultRootObject: "docs/index.html",
      additionalBehaviors: Object.fromEntries(apiPaths.map((path) => [path, toApi])),
      errorResponses: errors.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(webAclArn !== undefined && { webAclId: webAclArn }),
      ...(domain && {
        domainNames: [domain.name],
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
        certificate: Certificate.fromCertificateArn(this, "Certificate", domain.certificateArn),
      }),
    });
    Validations.of(distribution).acknowledge({
      id: "Annotation::@aws-cdk/aws-cloudfront-origins:listBucketSecurityRisk",
      reason: "The default root object is set, and `/` is answered before it",
    });
    // The origin is a name, which does not refer to the mapping.
    if (api.domain) distribution.node.addDependency(api.domain.mapping);
    this.url = `https://${domain?.name ?? distribution.distributionDomainName}`;
    if (apiDomain?.use !== "exclusive")
      Annotations.of(this).addWarningV2(
        "odis:apiAddress",
        "The API also answers at its own address, where the web ACL and its rate rule do not apply: set apiDomain with the use exclusive to switch that address off.",
      );
  }

  #behaviorOfSite({ bucket }: Site, { stage }: Settings): BehaviorOptions {
    // Without the permission to list, S3 responds with 403 for a missing file.
    const originAccessLevels = [AccessLevel.READ, AccessLevel.LIST];
    const originAccessControlName = this.#name(stage);
    const originAccessControl = new S3OriginAccessControl(this, "Access", { originAccessControlName });
    const origin = S3BucketOrigin.withOriginAccessControl(bucket, { originAccessLevels, originAccessControl });
    const viewerFunction = new ViewerFunction(this, "ViewerRequest", {
      comment: `odis-${stage}: finds the file of a page, and sets its policy`,
      code: FunctionCode.fromInline(viewerCode(signInUrlOf(Stack.of(this).region))),
      runtime: FunctionRuntime.JS_2_0,
    });
    return {
      origin,
      // HEAD is answered like GET.
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
      // Caches compressed copies according to the file's Cache-Control.
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      compress: true,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      functionAssociations: [FunctionEventType.VIEWER_REQUEST, FunctionEventType.VIEWER_RESPONSE].map((eventType) => ({
        function: viewerFunction,
        eventType,
      })),
      responseHeadersPolicy: this.#headers(stage),
    };
  }

  /**
   * The API receives the request of the caller, with its own host name. Responses are cached only if their Cache-Control
   * says so, which it does for requests without a token, and never for another caller or origin.
   */
  #behaviorOfApi({ host }: Api, { stage }: Settings): BehaviorOptions {
    const cachePolicy = new CachePolicy(this, "ApiCache", {
      comment: `odis-${stage}: public reads, by token and origin`,
      minTtl: Duration.seconds(0),
      defaultTtl: Duration.seconds(0),
      maxTtl: Duration.seconds(sharedSeconds),
      headerBehavior: CacheHeaderBehavior.allowList("Authorization", "Origin"),
      queryStringBehavior: CacheQueryStringBehavior.all(),
    });
    return {
      origin: new HttpOrigin(host, { protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY }),
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      // No redirect from HTTP: the token would already have been sent unencrypted.
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    };
  }

  /** A name in CloudFront, which has the same names in all regions. By default, two regions could not have the same stage. */
  #name(stage: string): string {
    return `odis-${stage}-${Stack.of(this).region}`;
  }

  /**
   * The headers of every file, of `site/headers.ts`. The function sets the Content-Security-Policy, because CloudFront allows
   * an account 20 of these policies (docs/decisions/074-one-response-headers-policy-a-stage.md).
   */
  #headers(stage: string): ResponseHeadersPolicy {
    const override = true;
    return new ResponseHeadersPolicy(this, "Headers", {
      responseHeadersPolicyName: this.#name(stage),
      securityHeadersBehavior: {
        contentTypeOptions: { override },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override },
      },
      corsBehavior: {
        accessControlAllowOrigins: ["*"],
        accessControlAllowMethods: ["GET", "HEAD"],
        accessControlAllowHeaders: ["*"],
        accessControlAllowCredentials: false,
        originOverride: override,
      },
      customHeadersBehavior: { customHeaders: [{ ...crossOriginOpenerPolicy, override }] },
    });
  }
}

/** Path patterns of the contract: `/odis/*`, and paths with a single segment. */
const apiPaths = [
  ...new Set(
    routes.flatMap(({ path }) => {
      const [, first = "", ...rest] = path.split("/");
      return path === "$default" ? [] : [rest.length > 0 ? `/${first}/*` : `/${first}`];
    }),
  ),
];

/**
 * The statuses that CloudFront would by default repeat for 10 seconds, whatever their Cache-Control
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/HTTPStatusCodes.html).
 */
const errors = [400, 403, 404, 405, 414, 500, 501, 502, 503, 504];
