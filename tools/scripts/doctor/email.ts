import {
  GetAccountCommand,
  type GetAccountResponse,
  GetEmailIdentityCommand,
  type GetEmailIdentityResponse,
  NotFoundException,
  SESv2Client,
} from "@aws-sdk/client-sesv2";
import type { Check, Fault } from "./check.ts";

/** The region and name in the ARN of an identity of SES. */
function identityIn(arn: string) {
  const [, region = "", name = ""] = /^arn:[\w-]+:ses:([\w-]+):\d+:identity\/(.+)$/.exec(arn) ?? [];
  return { region, name };
}

type Identity = Pick<GetEmailIdentityResponse, "VerifiedForSendingStatus" | "VerificationStatus">;

/** An identity that cannot send email. @param identity undefined if SES does not have it */
export function identityFaults(arn: string, identity: Identity | undefined): readonly Fault[] {
  const { region, name } = identityIn(arn);
  const at = `--email-identity ${name} --region ${region}`;
  if (!identity)
    return [
      {
        says: `SES in ${region} has no identity ${name}, so no email is sent.`,
        command: `aws sesv2 create-email-identity ${at}`,
      },
    ];
  if (identity.VerifiedForSendingStatus) return [];
  return [
    {
      says: `The identity ${name} of SES is not verified (${identity.VerificationStatus}), so no email is sent. Create the DNS records that the command shows.`,
      command: `aws sesv2 get-email-identity ${at} --query DkimAttributes`,
    },
  ];
}

/** An identity in another region than the stack. The alarms of a stack read metrics of its own region. */
export function senderRegionFaults(arn: string, stackRegion: string): readonly Fault[] {
  const { region, name } = identityIn(arn);
  if (region === stackRegion) return [];
  return [
    {
      says: `The sender ${name} is in ${region}, but the stack in ${stackRegion}, so the alarm EmailBounces never fires. Create the identity there, and set its ARN in sender.`,
      command: `aws sesv2 create-email-identity --email-identity ${name} --region ${stackRegion}`,
    },
  ];
}

type Account = Pick<GetAccountResponse, "ProductionAccessEnabled" | "SendingEnabled" | "EnforcementStatus">;

/** An account that may not send email to everybody. */
export function accountFaults(region: string, account: Account): readonly Fault[] {
  return [
    account.ProductionAccessEnabled === false && {
      says: `SES in ${region} is in its sandbox: only verified addresses get email.`,
      command: `aws sesv2 put-account-details --region ${region} --production-access-enabled --mail-type TRANSACTIONAL --website-url https://example.com --use-case-description "Sign-up and password emails"`,
    },
    account.SendingEnabled === false && {
      says: `SES in ${region} has paused sending (${account.EnforcementStatus}).`,
      command: `aws sesv2 put-account-sending-attributes --region ${region} --sending-enabled`,
    },
  ].filter((fault) => fault !== false);
}

/** Reads an identity. @returns what is wrong with it */
async function lookAtIdentity(arn: string): Promise<readonly Fault[]> {
  const { region, name } = identityIn(arn);
  const identity = await new SESv2Client({ region })
    .send(new GetEmailIdentityCommand({ EmailIdentity: name }))
    .catch((error: unknown) => {
      if (error instanceof NotFoundException) return undefined;
      throw error;
    });
  return identityFaults(arn, identity);
}

/** Reads the account of SES in the region of an identity. @returns what is wrong with it */
async function lookAtAccount(arn: string): Promise<readonly Fault[]> {
  const { region } = identityIn(arn);
  return accountFaults(region, await new SESv2Client({ region }).send(new GetAccountCommand({})));
}

// Without a sender, Cognito sends the email, at most 50 messages a day. The settings of prod require a sender.
export const email: readonly Check[] = [
  {
    name: "sender of email",
    look: async ({ settings }) => {
      const { sender } = settings();
      return sender ? lookAtIdentity(sender.identityArn) : [];
    },
  },
  {
    name: "email to everybody",
    // In a sandbox, it is enough that verified addresses get email.
    look: async ({ settings, stage }) => {
      const { sender } = settings();
      return sender && stage === "prod" ? lookAtAccount(sender.identityArn) : [];
    },
  },
];

/** Not a reason to refuse a deployment, because not every region with Cognito has SES. */
export const senderRegion: Check = {
  name: "region of the sender",
  look: async ({ settings, region }) => {
    const { sender } = settings();
    return sender ? senderRegionFaults(sender.identityArn, region) : [];
  },
};
