import {
  AdminDeleteUserCommand,
  AdminGetUserCommand,
  UserNotFoundException,
} from "@aws-sdk/client-cognito-identity-provider";
import { expect, it } from "vitest";
import { listAccounts } from "#lib/accounts/list.ts";
import { cognitoClient } from "#lib/aws.ts";
import { importBatch, show } from "#lib/contract/members.ts";
import { erase } from "#lib/contract/users.ts";
import { machine } from "#lib/runtime.ts";
import { keys } from "#lib/store/keys.ts";
import { write } from "#lib/store/write.ts";
import { importAccount } from "../../tools/scripts/pool-accounts.ts";
import { admin, startApi } from "../support/api.ts";
import { askCognito } from "../support/cognito.ts";
import { aCommunity } from "../support/given.ts";
import { setUp } from "../support/set-up.ts";

const api = startApi();
const community = setUp(() => aCommunity(api.table));

const password = "Victims-1234";
const code = { ConfirmationCode: "000000" };
const ask = async (operation: string, input: object) => {
  const { body } = await askCognito(api.stack.cognito, operation, { ClientId: process.env.CLIENT_ID, ...input });
  return body;
};

async function signUp(email: string): Promise<void> {
  await ask("SignUp", { Username: email, Password: password });
  await ask("ConfirmSignUp", { Username: email, ...code });
}

/** Imports a person with an email address. @returns their user id */
async function imported(email: string, id: number): Promise<number> {
  const params = { community_id: community.id };
  const times = { current_period_start: "2026-11-01T00:00:00.000Z", current_period_end: "2026-12-01T00:00:00.000Z" };
  const record = { id, user: { email, first_name: "Vera" }, tier_id: community.tier.id, status: "canceled" };
  const members = [{ ...record, ...times, created_at: times.current_period_start }];
  await api.call(importBatch, { as: admin, params, body: { members } });
  return (await api.call(show, { as: admin, params: { ...params, id } })).body.user.id;
}

const cognito = () => cognitoClient({ endpoint: api.stack.cognito.url });
const poolId = () => process.env.USER_POOL_ID ?? "";

async function accountsOf(email: string): Promise<object[]> {
  const found: object[] = [];
  for await (const { accounts } of listAccounts({ cognito: cognito(), poolId: poolId(), runtime: machine }))
    found.push(...accounts.filter((one) => one.email === email));
  return found;
}

const erased = (id: number) => api.call(erase, { as: admin, params: { id }, body: { dry_run: false } });
const deletedOne = { status: 200, body: { counts: { pool_account: 1 } } };

it("an erasure deletes the account of an imported person who has not signed in to it", async () => {
  const email = "unsigned@example.com";
  const id = await imported(email, 881);
  await signUp(email);
  expect(await accountsOf(email)).toHaveLength(1);
  expect(await erased(id)).toMatchObject(deletedOne);
  expect(await accountsOf(email)).toEqual([]);
});

it("an erasure deletes the account of an imported person who never entered the code of their sign-up", async () => {
  const email = "half@example.com";
  const id = await imported(email, 884);
  await ask("SignUp", { Username: email, Password: password });
  expect(await erased(id)).toMatchObject(deletedOne);
  const account = cognito().send(new AdminGetUserCommand({ UserPoolId: poolId(), Username: email }));
  await expect(account).rejects.toThrow(UserNotFoundException);
});

it("after the pool was replaced, an erasure deletes the account that the import of the accounts has created", async () => {
  const email = "reimported@example.com";
  const id = await imported(email, 882);
  await signUp(email);
  await ask("ConfirmForgotPassword", { Username: email, Password: password, ...code });
  const AuthParameters = { USERNAME: email, PASSWORD: password };
  expect(await ask("InitiateAuth", { AuthFlow: "USER_PASSWORD_AUTH", AuthParameters })).toHaveProperty(
    "AuthenticationResult",
  );
  await cognito().send(new AdminDeleteUserCommand({ UserPoolId: poolId(), Username: email }));
  await importAccount(cognito(), poolId(), { email, given_name: "Vera", groups: [] });
  expect(await accountsOf(email)).toHaveLength(1);
  expect(await erased(id)).toMatchObject(deletedOne);
  expect(await accountsOf(email)).toEqual([]);
});

it("an erasure deletes no account with the address of somebody whose profile is another one", async () => {
  const email = "former@example.com";
  const id = await imported(email, 883);
  await signUp(email);
  const account = await cognito().send(new AdminGetUserCommand({ UserPoolId: poolId(), Username: email }));
  const sub = account.UserAttributes?.find(({ Name }) => Name === "sub")?.Value ?? "";
  await write(api.table, [{ put: { ...keys.subject(sub), user_id: id + 1 } }]);
  expect(await erased(id)).toMatchObject({ status: 200, body: { counts: { pool_account: 0 } } });
  expect(await accountsOf(email)).toHaveLength(1);
});
