import { randomUUID } from "node:crypto";
import {
  AdminAddUserToGroupCommand,
  AdminCreateUserCommand,
  AdminSetUserPasswordCommand,
  AdminUpdateUserAttributesCommand,
  AssociateSoftwareTokenCommand,
  CognitoIdentityProviderClient,
  SetUserMFAPreferenceCommand,
  VerifySoftwareTokenCommand,
} from "@aws-sdk/client-cognito-identity-provider";
import { createSignIn } from "../../client/odis.ts";
import { totp } from "../../tools/local/cognito/totp.ts";
import { password } from "../../tools/local/users.ts";

const withApp = { SoftwareTokenMfaSettings: { Enabled: true, PreferredMfa: true } };

/** People in a user pool of Cognito, or of its stand-in if `AWS_ENDPOINT_URL` is set. */
export function userPool({ userPoolId: UserPoolId, clientId }: { userPoolId: string; clientId: string }) {
  const cognito = new CognitoIdentityProviderClient();

  const { AWS_ENDPOINT_URL: endpoint } = process.env;
  const { signIn, refresh } = createSignIn({ userPoolId: UserPoolId, clientId, ...(endpoint && { endpoint }) });

  return {
    /** A person in these groups who can sign in. With a name, their address is verified. */
    async addUser({ groups = [], givenName }: { groups?: readonly string[]; givenName?: string }) {
      const email = `${randomUUID()}@example.com`;
      const user = { UserPoolId, Username: email };
      const UserAttributes = [
        { Name: "email", Value: email },
        ...(givenName === undefined
          ? []
          : [
              { Name: "given_name", Value: givenName },
              { Name: "email_verified", Value: "true" },
            ]),
      ];
      const { User } = await cognito.send(new AdminCreateUserCommand({ ...user, UserAttributes }));
      await cognito.send(new AdminSetUserPasswordCommand({ ...user, Password: password, Permanent: true }));
      for (const GroupName of groups) await cognito.send(new AdminAddUserToGroupCommand({ ...user, GroupName }));
      return { email, sub: User?.Attributes?.find(({ Name }) => Name === "sub")?.Value ?? "" };
    },
    /** @throws Error if the pool requires more than a password */
    async signIn({ email }: { email: string }) {
      const step = await signIn(email, password);
      if (step.status === "signed_in") return step.session;
      throw new Error(`The pool asks for more: ${step.status}`);
    },
    /** Marks the address of an account as verified. */
    async verify({ email }: { email: string }) {
      const UserAttributes = [{ Name: "email_verified", Value: "true" }];
      await cognito.send(new AdminUpdateUserAttributesCommand({ UserPoolId, Username: email, UserAttributes }));
    },
    /** Registers an authenticator app for the signed-in account, and requires its codes from the next sign-in on. */
    async useApp({ accessToken: AccessToken }: { readonly accessToken: string }) {
      const { SecretCode = "" } = await cognito.send(new AssociateSoftwareTokenCommand({ AccessToken }));
      await cognito.send(new VerifySoftwareTokenCommand({ AccessToken, UserCode: totp(SecretCode, Date.now()) }));
      await cognito.send(new SetUserMFAPreferenceCommand({ AccessToken, ...withApp }));
    },
    refresh,
    close: () => cognito.destroy(),
  };
}
