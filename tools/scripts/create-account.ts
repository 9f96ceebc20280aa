import {
  AdminCreateUserCommand,
  type AdminCreateUserCommandInput,
  AdminDeleteUserCommand,
  AdminGetUserCommand,
  type CognitoIdentityProviderClient,
  UsernameExistsException,
} from "@aws-sdk/client-cognito-identity-provider";

/**
 * Creates an account, unless it exists. Replaces an account whose sign-up is not confirmed: anybody may have begun it, with a
 * password of their own.
 *
 * @returns whether the account is new
 */
export async function createAccount(
  pool: CognitoIdentityProviderClient,
  input: AdminCreateUserCommandInput & { readonly UserPoolId: string; readonly Username: string },
): Promise<boolean> {
  const create = () =>
    pool.send(new AdminCreateUserCommand(input)).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof UsernameExistsException)) throw error;
        return false;
      },
    );
  if (await create()) return true;
  const { UserPoolId, Username } = input;
  const { UserStatus } = await pool.send(new AdminGetUserCommand({ UserPoolId, Username }));
  if (UserStatus !== "UNCONFIRMED") return false;
  await pool.send(new AdminDeleteUserCommand({ UserPoolId, Username }));
  return create();
}
