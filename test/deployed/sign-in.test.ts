import { afterAll, expect, inject, it } from "vitest";
import * as users from "#lib/store/users.ts";
import { startApi } from "../support/api.ts";
import { userPool } from "../support/pool.ts";

const api = startApi();
const pool = userPool(inject("deployed") ?? { userPoolId: "", clientId: "" });
afterAll(() => pool.close());

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;

it("the first sign-in creates a person's profile, and every token has the profile's id and the groups", async () => {
  const nadia = await pool.addUser({ groups: ["editor"], givenName: "Nadia" });
  const [first, second] = await Promise.all([pool.signIn(nadia), pool.signIn(nadia)]);
  const { user_id, "cognito:groups": groups } = claimsOf(first.accessToken);
  expect(groups).toEqual(["editor"]);
  expect(await users.find(api.table, Number(user_id))).toMatchObject({ email: nadia.email, first_name: "Nadia" });

  const refreshed = await pool.refresh(first.refreshToken ?? "");
  for (const { accessToken } of [second, refreshed])
    expect(claimsOf(accessToken)).toMatchObject({ user_id, "cognito:groups": groups });
});
