import {
  AdminDeleteUserCommand,
  AdminGetUserCommand,
  type AdminGetUserCommandOutput,
  AdminResetUserPasswordCommand,
  AdminUserGlobalSignOutCommand,
  UserNotFoundException,
} from "@aws-sdk/client-cognito-identity-provider";
import { cognitoClient } from "./aws.ts";
import type { Runtime } from "./runtime.ts";
import type { Writer } from "./store/table.ts";

/** Timeouts of an attempt, in milliseconds. Cognito limits a trigger to five seconds. */
const requestHandler = { connectionTimeout: 500, requestTimeout: 1500, throwOnRequestTimeout: true };

/** Calls of triggers and erasures to the user pool. */
export type Pool = ReturnType<typeof openPool>;

/** The dependencies of a trigger of the user pool. */
export type TriggerContext = { readonly table: Writer; readonly pool: Pool; readonly now: Runtime["now"] };

/** Connects to the user pool. */
export function openPool() {
  const client = cognitoClient({ maxAttempts: 2, requestHandler });

  const find = async (UserPoolId: string, Username: string) => {
    try {
      return await client.send(new AdminGetUserCommand({ UserPoolId, Username }));
    } catch (error) {
      if (error instanceof UserNotFoundException) return undefined;
      throw error;
    }
  };

  const attributesOf = ({ UserAttributes = [] }: Partial<AdminGetUserCommandOutput>) =>
    new Map(UserAttributes.map(({ Name, Value }) => [Name, Value]));

  return {
    /** Whether the pool has no account with this `sub`, which is the username in a pool with email addresses. */
    isGone: async (poolId: string, sub: string): Promise<boolean> => (await find(poolId, sub)) === undefined,
    /** Whether a person has registered an authenticator app. */
    hasTotp: async (poolId: string, username: string): Promise<boolean> =>
      (await find(poolId, username))?.UserMFASettingList?.includes("SOFTWARE_TOKEN_MFA") ?? false,
    /** The verified email address of the account with this `sub`. Undefined if there is none. */
    async verifiedEmail(poolId: string, sub: string): Promise<string | undefined> {
      const attributes = attributesOf((await find(poolId, sub)) ?? {});
      return attributes.get("email_verified") === "true" ? attributes.get("email") : undefined;
    },
    /**
     * The `sub` of the account with this email address, if the address is verified, or if the sign-up is not confirmed.
     * Undefined if there is none.
     */
    async subOf(poolId: string, email: string): Promise<string | undefined> {
      const account = await find(poolId, email);
      const attributes = attributesOf(account ?? {});
      const isTheirs = attributes.get("email_verified") === "true" || account?.UserStatus === "UNCONFIRMED";
      return isTheirs ? attributes.get("sub") : undefined;
    },
    /** Invalidates the password. A new one is set with a code that is sent to the mailbox. */
    async resetPassword(UserPoolId: string, Username: string): Promise<void> {
      await client.send(new AdminResetUserPasswordCommand({ UserPoolId, Username }));
    },
    /** Deletes the account with this `sub`, and ends its sessions. Idempotent. */
    async deleteAccount(UserPoolId: string, sub: string): Promise<void> {
      try {
        await client.send(new AdminDeleteUserCommand({ UserPoolId, Username: sub }));
      } catch (error) {
        if (!(error instanceof UserNotFoundException)) throw error;
      }
    },
    /** Ends all sessions of a person: revokes their refresh tokens. */
    async endSessions(UserPoolId: string, Username: string): Promise<void> {
      await client.send(new AdminUserGlobalSignOutCommand({ UserPoolId, Username }));
    },
  };
}
