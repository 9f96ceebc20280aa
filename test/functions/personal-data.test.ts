import { beforeAll, describe, expect, it } from "vitest";
import * as me from "#lib/contract/me.ts";
import * as memberRoutes from "#lib/contract/members.ts";
import * as usersRoutes from "#lib/contract/users.ts";
import { addProfile } from "../../tools/local/users.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, aMember, anAddress } from "../support/given.ts";
import { setUp } from "../support/set-up.ts";

const api = startApi();
const { call } = api;

const community = setUp(() => aCommunity(api.table));
const member = setUp(() => aMember(api.table, community));
beforeAll(() => addProfile(api.table, member.user));

const address = anAddress({
  name: "Nora Noriega",
  line1: "1 Hidden Road",
  city: "Hidden City",
  phone: "+52 951 123 4567",
});
const inPath = () => ({ params: { community_id: community.id, id: member.id } });

it("the activity of an edited member has the names of the changed fields, but not their content", async () => {
  const metadata = { notes: "a hidden note", ssn: "123-45-6789" };
  const body = { member: { shipping_address: address, metadata } };
  expect((await call(memberRoutes.update, { ...inPath(), as: admin, body })).status).toBe(200);
  const cleared = { member: { shipping_address: null, metadata: { notes: null, ssn: null } } };
  await call(memberRoutes.update, { ...inPath(), as: admin, body: cleared });

  const activity = await call(memberRoutes.activity, { ...inPath(), as: admin });
  const changed = { changed: ["shipping_address", "notes", "metadata"] };
  expect(activity.body.data.map(({ action, before, after }) => ({ action, before, after }))).toEqual([
    { action: "edited", before: null, after: changed },
    { action: "edited", before: null, after: changed },
  ]);
  expect(JSON.stringify(activity.body)).not.toMatch(/[Hh]idden|123-45|Nora|951 123/);
});

describe("the export of a person's data", () => {
  it("the export of a person's data is the same for the person and for an admin, and names others only by role", async () => {
    const body = { member: { metadata: { notes: "likes reposado", shirt_size: "M" } } };
    await call(memberRoutes.update, { ...inPath(), as: community.owner, body });
    const own = await call(me.data, { as: member.user });
    const asAdmin = await call(usersRoutes.data, { params: { id: member.user.id }, as: admin });
    expect(asAdmin.body).toEqual(own.body);
    expect(own.headers.get("cache-control")).toBe("no-store");
    expect(own.body).toMatchObject({
      profile: { id: member.user.id, first_name: "Ana", erased_at: null },
      memberships: [
        {
          member_id: member.id,
          community: { id: community.id },
          tier: { id: community.tier.id },
          notes: "likes reposado",
          metadata: { shirt_size: "M" },
          lifetime_spend_cents: 7500,
          payments: [],
          refunds: [],
          activity_has_more: false,
        },
      ],
    });
    const [newest] = own.body.memberships[0]?.activity ?? [];
    expect(newest).toMatchObject({ action: "edited", actor: "owner" });
    expect(JSON.stringify(own.body)).not.toContain(String(community.owner.id));
  });

  it("the export of an unknown user's data is 404", async () => {
    expect((await call(usersRoutes.data, { params: { id: 987654321 }, as: admin })).status).toBe(404);
  });
});
