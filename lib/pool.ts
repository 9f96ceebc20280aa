import {
  AdminDeleteUserCommand,
  AdminGetUserCommand,
  AdminResetUserPasswordCommand,
  AdminUserGlobalSignOutCommand,
  UserNotFoundException,
} from "@aws-sdk/client-cognito-identity-provider";
import { cognitoClient } from "./aws.ts";
import type { Runtime } from "./runtime.ts";
import type { Writer } from "./store/table.ts";

/** How long a call to the pool may take, in milliseconds. Cognito gives a trigger five seconds for everything. */
const requestTimeout = 1500;

/** What triggers and erasures ask of the user pool. */
export type Pool = ReturnType<typeof openPool>;

/** What a trigger of the user pool works with. */
export type TriggerContext = { readonly table: Writer; readonly pool: Pool; readonly now: Runtime["now"] };

/** Connects to the user pool. */
export function openPool() {
  const client = cognitoClient({ maxAttempts: 2, requestHandler: { connectionTimeout: 500, requestTimeout } });

  const find = async (UserPoolId: string, Username: string) => {
    try {
      return await client.send(new AdminGetUserCommand({ UserPoolId, Username }));
    } catch (error) {
      if (error instanceof UserNotFoundException) return undefined;
      throw error;
    }
  };

  return {
    /** Whether the pool has no account with this `sub`, by which people are named in a pool of email addresses. */
    isGone: async (poolId: string, sub: string): Promise<boolean> => (await find(poolId, sub)) === undefined,
    /** Whether a person has registered an authenticator app. */
    hasTotp: async (poolId: string, username: string): Promise<boolean> =>
      (await find(poolId, username))?.UserMFASettingList?.includes("SOFTWARE_TOKEN_MFA") ?? false,
    /** Makes a password worthless: the next one is set with a code that is sent to the mailbox. */
    async resetPassword(UserPoolId: string, Username: string): Promise<void> {
      await client.send(new AdminResetUserPasswordCommand({ UserPoolId, Username }));
    },
    /** Deletes the account with this `sub`, and so ends its sessions. Idempotent: one that is gone stays so. */
    async deleteAccount(UserPoolId: string, sub: string): Promise<void> {
      try {
        await client.send(new AdminDeleteUserCommand({ UserPoolId, Username: sub }));
      } catch (error) {
        if (!(error instanceof UserNotFoundException)) throw error;
      }
    },
    /** Ends all sessions of a person: their refresh tokens are void. */
    async endSessions(UserPoolId: string, Username: string): Promise<void> {
      await client.send(new AdminUserGlobalSignOutCommand({ UserPoolId, Username }));
    },
  };
}
