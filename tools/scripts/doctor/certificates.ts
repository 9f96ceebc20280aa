import {
  ACMClient,
  type CertificateDetail,
  DescribeCertificateCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-acm";
import type { Settings } from "../../../infra/settings.ts";
import type { Check, Fault } from "./check.ts";

/** The certificate in a setting, and the region where it must be. */
export type NamedCertificate = { readonly setting: string; readonly arn: string; readonly mustBeIn: string };

/** ACM renews its own certificates 60 days before they expire. */
const minDays = 30;

const regionOf = (arn: string): string => arn.split(":")[3] ?? "";

/** Returns the certificates that the settings of a stage name. */
export const certificatesIn = ({ domain, apiDomain }: Pick<Settings, "domain" | "apiDomain">, region: string) =>
  [
    domain && { setting: "domain", arn: domain.certificateArn, mustBeIn: "us-east-1" },
    apiDomain && { setting: "apiDomain", arn: apiDomain.certificateArn, mustBeIn: region },
  ].filter((certificate) => certificate !== undefined);

/** A certificate that browsers do not accept, or soon will not. @param detail undefined if there is no such certificate */
export function certificateFaults(
  { setting, arn, mustBeIn }: NamedCertificate,
  detail: Pick<CertificateDetail, "Status" | "NotAfter" | "Type"> | undefined,
  now: Date,
): readonly Fault[] {
  const region = regionOf(arn);
  const describe = `aws acm describe-certificate --region ${region} --certificate-arn ${arn}`;
  if (region !== mustBeIn)
    return [
      {
        says: `The certificate of ${setting} is in ${region}, but must be in ${mustBeIn}. Request one there, and set its ARN.`,
        command: `aws acm request-certificate --region ${mustBeIn} --validation-method DNS --domain-name <name>`,
      },
    ];
  if (!detail)
    return [
      {
        says: `There is no certificate ${arn}. Request another one, and set its ARN in ${setting}.`,
        command: `aws acm request-certificate --region ${region} --validation-method DNS --domain-name <name>`,
      },
    ];
  const { Status, NotAfter, Type } = detail;
  if (Status !== "ISSUED")
    return [
      {
        says: `The certificate of ${setting} is not issued (${Status}). Create the DNS record that the command shows.`,
        command: `${describe} --query Certificate.DomainValidationOptions`,
      },
    ];
  const days = NotAfter ? Math.floor((NotAfter.getTime() - now.getTime()) / 86_400_000) : minDays;
  if (days >= minDays) return [];
  return [
    Type === "IMPORTED"
      ? {
          says: `The certificate of ${setting} expires in ${days} days. ACM does not renew it, because it was imported.`,
          command: `aws acm import-certificate --region ${region} --certificate-arn ${arn} --certificate fileb://certificate.pem --private-key fileb://key.pem --certificate-chain fileb://chain.pem`,
        }
      : {
          says: `The certificate of ${setting} expires in ${days} days, and ACM has not renewed it. Create the DNS record that the command shows.`,
          command: `${describe} --query Certificate.RenewalSummary`,
        },
  ];
}

/** Reads the certificates that the settings of a stage name. @returns what is wrong with them */
async function lookAtCertificates(
  settings: Pick<Settings, "domain" | "apiDomain">,
  region: string,
  now: Date,
): Promise<readonly Fault[]> {
  const faults = await Promise.all(
    certificatesIn(settings, region).map(async (named) => {
      const { Certificate } = await new ACMClient({ region: regionOf(named.arn) })
        .send(new DescribeCertificateCommand({ CertificateArn: named.arn }))
        .catch((error: unknown) => {
          if (error instanceof ResourceNotFoundException) return { Certificate: undefined };
          throw error;
        });
      return certificateFaults(named, Certificate, now);
    }),
  );
  return faults.flat();
}

export const certificates: Check = {
  name: "certificates",
  look: async ({ settings, region, now }) => lookAtCertificates(settings(), region, now),
};
