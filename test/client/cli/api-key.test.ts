import { beforeAll, describe, expect, it } from "vitest";
import { startApi } from "../../support/api.ts";
import { commandLine } from "../../support/command-line.ts";
import { aCommunity, aMember, anApiKey, type GivenCommunity } from "../../support/given.ts";

const api = startApi();
const { odis, write } = commandLine(api);

let community: GivenCommunity;
let of: string[];
let withKey: (...args: string[]) => ReturnType<typeof odis>;
beforeAll(async () => {
  community = await aCommunity(api.table);
  of = ["--community", String(community.id)];
  const { key } = await anApiKey(api.table, community, { role: "manager" });
  withKey = (...args) => odis(["--api-url", api.origin, "--json", ...args], { ODIS_TOKEN: key });
});

describe("with an API key in ODIS_TOKEN", () => {
  it("a command writes to the community of the key", async () => {
    const created = await withKey("benefits", "create", ...of, "--name", "Tasting");
    expect(created).toMatchObject({ code: 0, err: "" });
    const { id } = await aMember(api.table, community);
    expect(await withKey("members", "block", String(id), ...of)).toMatchObject({ code: 0, err: "" });
  });

  it("a command reads public records without the key, which their routes refuse", async () => {
    for (const args of [
      ["tiers", "list", ...of],
      ["tiers", "show", String(community.tier.id)],
      ["communities", "show", ...of],
    ])
      expect(await withKey(...args)).toMatchObject({ code: 0, err: "" });
  });

  it("members import creates members", async () => {
    const time = "2026-11-01T00:00:00Z";
    const user = { email: "key@example.com" };
    const record = { user, tier_name: community.tier.name, status: "active", created_at: time };
    const file = await write("key.jsonl", [{ ...record, current_period_start: time, current_period_end: time }]);
    const imported = await withKey("members", "import", ...of, file);
    expect(imported).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(imported.out)).toMatchObject({ created: 1 });
  });

  it("whoami shows the API and its stage, but no user", async () => {
    const { out, code } = await withKey("whoami");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ api_url: api.origin, stage: "local", caller: "the API key of ODIS_TOKEN" });
  });
});
