import { Duration } from "aws-cdk-lib";
import { type IMetric, Metric } from "aws-cdk-lib/aws-cloudwatch";
import {
  AccountRecovery,
  CfnUserPool,
  ClientAttributes,
  FeaturePlan,
  LambdaVersion,
  Mfa,
  UserPool,
  type UserPoolClient,
  UserPoolGroup,
  UserPoolOperation,
} from "aws-cdk-lib/aws-cognito";
import { Policy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";
import type { NodeFunction } from "./node-function.ts";

type Props = {
  readonly preTokenGeneration: NodeFunction;
  readonly postConfirmation: NodeFunction;
  readonly settings: Settings;
};

/** Attributes that people can set, and from which profiles are made. */
const attributes = new ClientAttributes().withStandardAttributes({
  email: true,
  givenName: true,
  familyName: true,
  preferredUsername: true,
});

/** The user pool, its client, and the groups that grant rights (`docs/api.md`, section 2). */
export class Identity extends Construct {
  readonly pool: UserPool;
  readonly client: UserPoolClient;

  constructor(scope: Construct, id: string, { preTokenGeneration, postConfirmation, settings }: Props) {
    super(scope, id);
    this.pool = new UserPool(this, "Pool", {
      // The cheapest plan that allows custom claims in access tokens.
      featurePlan: FeaturePlan.ESSENTIALS,
      selfSignUpEnabled: true,
      signInAliases: { email: true },
      // Cannot be changed after the pool was created. If the pool distinguished case, `Anna@example.com` and
      // `anna@example.com` would be two people.
      ...(!settings.caseSensitiveSignIn && { signInCaseSensitive: false }),
      // A new address takes effect only once it is verified. Until then, the old one is used for sign-in.
      keepOriginal: { email: true },
      standardAttributes: { email: { required: true, mutable: true } },
      passwordPolicy: {
        minLength: 12,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: false,
        tempPasswordValidity: Duration.days(3),
      },
      // Authenticator apps only. SMS codes cost money and can be stolen.
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { otp: true, sms: false },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      deletionProtection: settings.isProtected,
      removalPolicy: settings.removalPolicy,
    });
    if (settings.sender) sendBy(this.pool, settings.sender);
    this.pool.addTrigger(UserPoolOperation.PRE_TOKEN_GENERATION_CONFIG, preTokenGeneration, LambdaVersion.V2_0);
    this.pool.addTrigger(UserPoolOperation.POST_CONFIRMATION, postConfirmation);
    this.#open(preTokenGeneration, ["AdminGetUser", "AdminUserGlobalSignOut"]);
    this.#open(postConfirmation, ["AdminResetUserPassword", "AdminUserGlobalSignOut"]);

    this.client = this.pool.addClient("Client", {
      // By default, CDK enables the implicit grant with a callback to example.com.
      disableOAuth: true,
      // Only SRP is enabled, so that no password leaves the device.
      authFlows: { userSrp: true },
      accessTokenValidity: Duration.minutes(60),
      idTokenValidity: Duration.minutes(60),
      refreshTokenValidity: Duration.days(30),
      enableTokenRevocation: true,
      preventUserExistenceErrors: true,
      readAttributes: attributes.withStandardAttributes({ emailVerified: true }),
      writeAttributes: attributes,
    });

    for (const groupName of ["admin", "editor"]) new UserPoolGroup(this, groupName, { userPool: this.pool, groupName });
  }

  /** Numbers of sign-ins and refreshes of tokens that Cognito rejected because of its limits. */
  throttled(period: Duration): IMetric[] {
    const dimensionsMap = { UserPool: this.pool.userPoolId, UserPoolClient: this.client.userPoolClientId };
    return ["SignInThrottles", "TokenRefreshThrottles"].map(
      (metricName) => new Metric({ namespace: "AWS/Cognito", metricName, dimensionsMap, statistic: "Sum", period }),
    );
  }

  /** Allows a function to read the email addresses of accounts. */
  openAddresses(grantee: NodeFunction): void {
    grantee.addToRolePolicy(
      new PolicyStatement({ actions: ["cognito-idp:AdminGetUser"], resources: [this.pool.userPoolArn] }),
    );
  }

  /** Grants rights with a separate policy, because the pool depends on its triggers and thus on their roles. */
  #open({ node, role }: NodeFunction, allowed: readonly string[]): void {
    const actions = allowed.map((action) => `cognito-idp:${action}`);
    const statements = [new PolicyStatement({ actions, resources: [this.pool.userPoolArn] })];
    new Policy(this, `${node.id}Pool`, { statements, ...(role && { roles: [role] }) });
  }
}

/** URL of Cognito in a region. */
export const signInUrlOf = (region: string): string => `https://cognito-idp.${region}.amazonaws.com`;

/** Makes SES send the pool's email. CDK's own method needs the region, which is unknown during synthesis. */
function sendBy({ node: { defaultChild } }: UserPool, { from, identityArn }: NonNullable<Settings["sender"]>): void {
  if (defaultChild instanceof CfnUserPool)
    defaultChild.emailConfiguration = { emailSendingAccount: "DEVELOPER", from, sourceArn: identityArn };
}
