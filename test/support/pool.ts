import { randomUUID } from "node:crypto";
import {
  AdminAddUserToGroupCommand,
  AdminCreateUserCommand,
  AdminSetUserPasswordCommand,
  type AuthenticationResultType,
  CognitoIdentityProviderClient,
  InitiateAuthCommand,
} from "@aws-sdk/client-cognito-identity-provider";
import { password } from "../../tools/local/users.ts";

/** People in a user pool of Cognito. */
export function userPool({ userPoolId: UserPoolId, clientId: ClientId }: { userPoolId: string; clientId: string }) {
  const cognito = new CognitoIdentityProviderClient();

  async function initiate(
    AuthFlow: "USER_PASSWORD_AUTH" | "REFRESH_TOKEN_AUTH",
    AuthParameters: Record<string, string>,
  ) {
    const { AuthenticationResult = {} } = await cognito.send(
      new InitiateAuthCommand({ ClientId, AuthFlow, AuthParameters }),
    );
    return AuthenticationResult satisfies AuthenticationResultType;
  }

  return {
    /** A person of these groups who may sign in; with a name, their address is verified too. */
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
    signIn: ({ email }: { email: string }) => initiate("USER_PASSWORD_AUTH", { USERNAME: email, PASSWORD: password }),
    refresh: (token = "") => initiate("REFRESH_TOKEN_AUTH", { REFRESH_TOKEN: token }),
    close: () => cognito.destroy(),
  };
}
