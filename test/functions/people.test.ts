import { expect, it } from "vitest";
import { erase, list } from "#lib/contract/users.ts";
import { addProfile } from "../../tools/local/users.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, aMember } from "../support/given.ts";

const api = startApi();
const find = (email: string) => api.call(list, { query: { email }, as: admin });

async function aPerson() {
  const { user } = await aMember(api.table, await aCommunity(api.table));
  await addProfile(api.table, user);
  const { id, username, first_name, last_name } = user;
  return { id, username, email: `${username}@example.com`, first_name, last_name };
}

it("an admin finds a person by their email address, whatever the case of its letters", async () => {
  const person = await aPerson();
  for (const written of [person.email, person.email.toUpperCase(), ` ${person.email} `])
    expect(await find(written)).toMatchObject({
      status: 200,
      body: { total: 1, has_more: false, page: 1, per: 20, data: [person] },
    });
});

it("an address that nobody has, and that of an erased person, finds nobody", async () => {
  const person = await aPerson();
  const body = { dry_run: false };
  expect((await api.call(erase, { params: { id: person.id }, as: admin, body })).status).toBe(200);
  for (const email of [person.email, "nobody@example.com"])
    expect(await find(email)).toMatchObject({ status: 200, body: { total: 0, data: [] } });
});

it.each(["", "ana", "ana@"])(
  "the email address %j is refused with an error that names the parameter",
  async (email) => {
    expect(await find(email)).toMatchObject({
      status: 422,
      body: { code: "validation_failed", errors: [{ parameter: "email" }] },
    });
  },
);
