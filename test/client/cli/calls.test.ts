import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { addProfile, password } from "../../../tools/local/users.ts";
import { admin, startApi } from "../../support/api.ts";
import { commandLine, linesOf, outcomeOf, repeatedSigint, serve } from "../../support/command-line.ts";
import { aCommunity, aMember, anAddress, type GivenCommunity } from "../../support/given.ts";

const api = startApi();
const { start, odis, at, write, sessionFile } = commandLine(api);

const inJson = async (...args: string[]) =>
  JSON.parse((await odis(["--json", ...args])).out) as Record<string, unknown>;

let community: GivenCommunity;
let of: string[];
beforeAll(async () => {
  community = await aCommunity(api.table);
  of = ["--community", String(community.id)];
});

/** An option of Node.js without the time limits of the client, which are longer than ten seconds. */
const withoutLimits = `--import=data:text/javascript,${encodeURIComponent(
  "const set=setTimeout;globalThis.setTimeout=(run,ms,...more)=>set(run,ms>10000?2**31-1:ms,...more)",
)}`;

const refund = (id: number) => ["members", "refund", String(id), ...of, "--amount-cents", "500"];

describe("a command that calls one route", () => {
  it("communities, tiers and benefits are created, edited, listed, shown and deleted", async () => {
    const { id: owner } = community.owner;
    await addProfile(api.table, { id: owner, username: "o", first_name: "", last_name: "" });
    const created = await inJson("communities", "create", "--name", "Raicilla", "--owner", String(owner));
    expect(created).toMatchObject({ name: "Raicilla", slug: "raicilla", owner_id: owner });
    const there = ["--community", String(created.id)];
    expect(await inJson("communities", "edit", ...there, "--trending-pin", "on")).toMatchObject({ trending_pin: "on" });
    expect(await inJson("communities", "edit", ...there, "--trending-pin", "")).toMatchObject({ trending_pin: null });
    expect(await inJson("communities", "list", "--slug", "raicilla")).toMatchObject({ id: created.id });
    expect(await inJson("communities", "stats", ...there)).toMatchObject({ total: 0, by_tier: [] });

    const price = ["--monthly-price-dollars", "12.5", "--requires-shipping-address"];
    const tier = await inJson("tiers", "create", ...there, "--name", "Joven", ...price);
    expect(tier).toMatchObject({ name: "Joven", monthly_price_dollars: 12.5, requires_shipping_address: true });
    const edit = ["tiers", "edit", String(tier.id), "--badge", "J", "--no-requires-shipping-address"];
    expect(await inJson(...edit)).toMatchObject({ badge: "J", requires_shipping_address: false });

    const benefit = await inJson("benefits", "create", ...there, "--name", "Tasting", "--tiers", String(tier.id));
    expect(benefit).toMatchObject({ tier_ids: [tier.id] });
    const benefitId = String(benefit.id);
    expect(await inJson("benefits", "archive", benefitId)).toMatchObject({ status: "archived" });
    expect((await odis(["benefits", "list", ...there])).out).toBe("");
    expect(await inJson("benefits", "list", ...there, "--status", "all")).toMatchObject({ id: benefit.id });
    expect(await inJson("benefits", "assign", benefitId, "--tiers", "")).toMatchObject({ tier_ids: [] });
    expect(await odis(["benefits", "delete", benefitId, "--yes"])).toMatchObject({ code: 0, out: "" });
    expect((await odis(["benefits", "show", benefitId])).code).toBe(3);
  });

  it("members are listed, shown, edited and blocked, and their activity is listed", async () => {
    const member = await aMember(api.table, community);
    const id = String(member.id);
    const metadata = ["--metadata", '{"notes":"likes smoke","shelf":2}'];
    expect(await inJson("members", "edit", id, ...of, ...metadata)).toMatchObject({
      metadata: { notes: "likes smoke", shelf: 2 },
    });
    expect(await inJson("members", "block", id, ...of, "--reason", "Spam")).toMatchObject({ is_blocked: true });
    const { out } = await odis(["members", "list", ...of, "--blocked", "--query", member.user.username]);
    expect(linesOf(out)).toMatchObject([{ id: member.id, block_reason: "Spam" }]);
    expect((await odis(["members", "list", ...of, "--no-blocked", "--query", member.user.username])).out).toBe("");
    const activity = linesOf((await odis(["members", "activity", id, ...of])).out) as { action: string }[];
    expect(activity.map(({ action }) => action)).toEqual(["blocked", "edited"]);
  });

  it("a list stops at --limit and says that there is more, even on lists with page numbers", async () => {
    const producer = ["--producer", "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0077"];
    for (const name of ["A", "B", "C"])
      expect(await odis(["--as", "editor", "brands", "create", ...producer, "--name", name])).toMatchObject({
        code: 0,
      });
    const first = await odis(["brands", "list", ...producer, "--limit", "2"]);
    expect(linesOf(first.out)).toMatchObject([{ name: "A" }, { name: "B" }]);
    expect(first.err).toBe("There are more than 2. Set --limit to list them\n");
    expect(await odis(["brands", "list", ...producer, "--limit", "3"])).toMatchObject({ err: "" });
  });

  it("on a terminal, lists are tables and records are lines of fields; --json prints JSON there, too", async () => {
    const other = await aCommunity(api.table);
    const member = await aMember(api.table, other);
    const id = String(member.id);
    const there = ["--community", String(other.id)];
    const shown = async (...args: string[]) => (await outcomeOf(start(args, {}, ["stdout"]))).out;
    const [headings = "", line = ""] = (await shown("members", "list", ...there)).split("\n");
    expect(headings).toMatch(/^id +status +is_blocked +membership_tier\.name +user\.email/);
    expect(line).toMatch(new RegExp(`^${id} +active +false +${other.tier.name} `));
    expect(await shown("members", "show", id, ...there)).toMatch(new RegExp(`^id +${id}\nstatus +active\n`));
    expect(linesOf(await shown("--json", "members", "list", ...there))).toMatchObject([{ id: member.id }]);
    const none = await outcomeOf(start(["members", "list", ...there, "--blocked"], {}, ["stdout"]));
    expect(none).toMatchObject({ code: 0, out: "", err: "There are no records\n" });
  });

  it("on a terminal, a command that waits longer than a second says for how long, unless --quiet is set", async () => {
    const { apiUrl, close } = await serve((_, response) => {
      response.setHeader("content-type", "application/json");
      setTimeout(() => response.end('{"data":[],"has_more":false}'), 1500);
    });
    const list = ["--api-url", apiUrl, "communities", "list"];
    const progressOf = async (...args: string[]) =>
      (await outcomeOf(start([...args, ...list], { ODIS_TOKEN: "any" }, ["stderr"]))).err;
    expect(await progressOf()).toBe("\r\u001B[KWaiting for the API (1 s)\r\u001B[K");
    expect(await progressOf("--quiet")).toBe("");
    close();
  });

  it("members export --labels writes the labels of members with access and an address whose tier ships", async () => {
    const shop = await aCommunity(api.table, { tier: { requires_shipping_address: true } });
    const user = { first_name: "Zoë", last_name: "Peña" };
    const { id } = await aMember(api.table, shop, {
      user,
      shipping_address: anAddress({ name: "", phone: "+52 951" }),
    });
    await aMember(api.table, shop);
    await aMember(api.table, shop, { status: "canceled", shipping_address: anAddress() });
    const { out } = await odis(["members", "export", "--community", String(shop.id), "--labels"]);
    const [header, ...labels] = out.trimEnd().split("\r\n");
    expect(header).toMatch(/^Order Number,Recipient Name,.*,Item Name,Quantity$/);
    expect(labels).toEqual([`${id},"Zoë Peña","Calle 1","","Oaxaca","","68000","MX","52 951","Barrel Owner",1`]);
  });

  it("a command ends without an error once its output is closed, as by `| head`", async () => {
    for (let n = 0; n < 5; n++) await aMember(api.table, community);
    const command = start(["--quiet", "members", "export", ...of]);
    command.stdout?.destroy();
    const [err, [code]] = await Promise.all([command.stderr ? text(command.stderr) : "", once(command, "exit")]);
    expect({ code: code as number, err }).toEqual({ code: 0, err: "" });
  });

  it("people export writes everything about a person, and people erase erases them, after a dry run", async () => {
    const member = await aMember(api.table, community, { status: "canceled", notes: "likes reposado" });
    await addProfile(api.table, member.user);
    const id = String(member.user.id);
    const file = at("person.json");
    expect((await odis(["people", "export", id, "--out", file])).code).toBe(0);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ memberships: [{ notes: "likes reposado" }] });
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const dryRun = await inJson("people", "erase", id, "--dry-run");
    expect(dryRun).toMatchObject({ erased: false, blockers: [], counts: { user: 1, member: 1 } });
    expect((await odis(["people", "erase", id])).code).toBe(2);
    expect(await inJson("people", "erase", id, "--yes")).toMatchObject({ erased: true });
    expect(await inJson("people", "export", id)).toMatchObject({ profile: { username: "erased" } });

    const owner = await odis(["people", "erase", String(community.owner.id), "--yes"]);
    expect(owner.code).toBe(3);
    expect(owner.err).toContain(`erasure_blocked: Blocked by owns_community in community ${community.id}`);
  });
});

describe("before a write", () => {
  it("a write prints the API, its stage and the caller before it is sent, and a read does not", async () => {
    const member = await aMember(api.table, community);
    const target = `Target: ${api.origin} (stage local), as the demo user admin\n`;
    expect((await odis(["members", "block", String(member.id), ...of])).err).toBe(target);
    expect((await odis(["members", "show", String(member.id), ...of])).err).toBe("");
  });

  it("a command that moves money sends nothing without a terminal and without --yes", async () => {
    const { id } = await aMember(api.table, community);
    const asked = `"Refund the member's latest refundable charge (community_id: ${community.id}, id: ${id}, amount_cents: 500)"`;
    const refused = await odis(refund(id));
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toBe(`${asked} requires a confirmation. Add --yes to run it without a question\n`);
    const confirmed = await odis([...refund(id), "--yes"]);
    expect(confirmed.code).toBe(3);
    expect(confirmed.err).toContain("nothing_to_refund");
  });

  it.each([
    ["yes", 3, "nothing_to_refund"],
    ["y", 2, "Not confirmed. Nothing was changed"],
  ])("on a terminal, a refund is confirmed by yes only: %s", async (answer, code, message) => {
    const { id } = await aMember(api.table, community);
    const child = start(refund(id), {}, ["stdin"]);
    child.stdin?.end(`${answer}\n`);
    const outcome = await outcomeOf(child);
    expect(outcome.code).toBe(code);
    expect(outcome.err).toContain("Type yes to continue: ");
    expect(outcome.err).toContain(message);
  });
});

describe("the caller", () => {
  it("commands run as the signed-in user, whose session file only they can read", async () => {
    await api.stack.cognito.addUser({ username: "ops", password, email: "ops@example.com" });
    expect(await odis(["sign-in", "--username", "ops"], { ODIS_PASSWORD: password })).toMatchObject({ code: 0 });
    expect((await stat(sessionFile())).mode & 0o777).toBe(0o600);
    expect(await inJson("whoami")).toMatchObject({ caller: "ops", stage: "local", user: { email: "ops@example.com" } });
    const listing = ["members", "list", ...of];
    expect((await odis(listing)).err).toContain("forbidden");
    expect(await odis(listing, { ODIS_TOKEN: await api.tokenOf(admin) })).toMatchObject({ code: 0 });
    expect(await odis(["--as", "admin", ...listing])).toMatchObject({ code: 0 });

    await odis(["sign-out"]);
    await expect(stat(sessionFile())).rejects.toThrow("ENOENT");
    expect(await odis(listing)).toMatchObject({ code: 0 });
    const wrong = await odis(["--json", "sign-in", "--username", "ops"], { ODIS_PASSWORD: "wrong" });
    expect(JSON.parse(wrong.err)).toMatchObject({ error: { code: "NotAuthorizedException", exit_code: 3 } });
  });

  it("--as takes precedence over ODIS_TOKEN, and is refused for an API that is not the local stack", async () => {
    const whoami = async (env: NodeJS.ProcessEnv, ...args: string[]) => odis([...args, "--json", "whoami"], env);
    const stranger = await whoami({ ODIS_TOKEN: await api.tokenOf(admin) }, "--as", "stranger");
    expect(JSON.parse(stranger.out)).toMatchObject({ caller: "the demo user stranger", groups: [] });
    const elsewhere = await whoami({ ODIS_API_URL: "https://api.example.com" }, "--as", "admin");
    expect(elsewhere.code).toBe(2);
    expect(elsewhere.err).toContain(
      "--as names a demo user of the local stack, and https://api.example.com is not one",
    );
  });
});

describe("a failure", () => {
  const anywhere = { ODIS_TOKEN: "any" };
  const list = ["members", "list", "--community", "1"];

  it.each([
    ["an unknown option", [...list, "--comunity", "1"], 2, "(Did you mean --community?)"],
    ["an unknown command", ["members", "lst"], 2, "unknown command 'lst' (Did you mean list?)"],
    ["a missing option", ["members", "list"], 2, "required option '--community <id>' not specified"],
    ["a wrong value", [...list, "--status", "gone"], 2, "It must be one of active, trialing"],
    ["a wrong number", [...list, "--limit", "0"], 2, "It must be a positive integer"],
    ["JSON that is none", ["members", "edit", "1", "--community", "1", "--metadata", "{"], 2, "It must be JSON"],
    ["nothing to change", ["tiers", "edit", "1"], 2, "There is nothing to change"],
    [
      "a file that cannot be written",
      ["members", "export", "--community", "1", "--out", "/nowhere/m.csv"],
      2,
      "ENOENT",
    ],
    ["--as without such a user", ["--as", "nobody", ...list], 2, 'no caller "nobody"'],
    ["a URL that is none", ["--api-url", "foo", ...list], 2, '"foo" is not the URL of an API'],
    ["no token for the API", ["--api-url", "http://127.0.0.1:1", ...list], 2, "Run the command sign-in first"],
    ["a record that does not exist", ["tiers", "show", "1"], 3, "not_found: "],
    ["a caller without the right", ["--as", "stranger", ...list], 3, "not_found: "],
    [
      "an API that cannot be reached",
      ["--api-url", "http://127.0.0.1:1/", ...list],
      4,
      "http://127.0.0.1:1 cannot be reached",
    ],
  ])("the failure %s is one line on standard error, or one JSON object", async (name, args, code, message) => {
    const env = name.startsWith("an API") ? anywhere : {};
    const failed = await odis(args, env);
    expect({ ...failed, err: "", lines: failed.err.trim().split("\n").length }).toMatchObject({
      out: "",
      code,
      lines: 1,
    });
    expect(failed.err).toContain(message);

    const forPrograms = await odis(["--json", ...args], env);
    const { error } = JSON.parse(forPrograms.err) as { error: { code: string; message: string; exit_code: number } };
    expect(error.exit_code).toBe(code);
    expect(forPrograms.code).toBe(code);
    expect(`${error.code}: ${error.message}`).toContain(message);
  });

  it("a POST without a known outcome names its key, with which the command takes effect once", async () => {
    const answers = [500, 422, 500].map((status) => ({ status, type: "text/html" }));
    const keys: unknown[] = [];
    const { apiUrl, close } = await serve((request, response) => {
      response.setHeader("content-type", "application/json");
      if (request.method !== "POST") return response.end('{"stage":"test"}');
      keys.push(request.headers["idempotency-key"]);
      const { status = 500, type = "" } = answers[keys.length - 1] ?? {};
      response.writeHead(status, { "content-type": type });
      return response.end();
    });
    const refunding = ["--api-url", apiUrl, ...refund(1), "--yes"];
    const lost = await odis(refunding, anywhere);
    const [, key = ""] = /^Repeat the command with --key (\S+)$/m.exec(lost.err) ?? [];
    const refused = await odis([...refunding, "--key", key], anywhere);
    const forPrograms = await odis(["--json", ...refunding], anywhere);
    close();
    expect(lost.code).toBe(4);
    expect(refused.code).toBe(3);
    expect(refused.err).not.toContain("--key");
    expect(keys).toEqual([key, key, expect.stringMatching(/^[\da-f-]{36}$/)]);
    expect(JSON.parse(forPrograms.err)).toMatchObject({ error: { exit_code: 4, key: keys[2] } });
  });

  it.each([
    ["once", {}],
    ["twice at once, as below npm", { NODE_OPTIONS: repeatedSigint }],
  ])("a POST that is interrupted %s names its key", async (_, env) => {
    let arrived: (key: unknown) => void;
    const posted = new Promise((resolve) => {
      arrived = resolve;
    });
    const { apiUrl, close } = await serve((request, response) => {
      if (request.method === "POST") return arrived(request.headers["idempotency-key"]);
      response.setHeader("content-type", "application/json");
      return response.end('{"stage":"test"}');
    });
    const refunding = start(["--json", "--api-url", apiUrl, ...refund(1), "--yes"], { ...anywhere, ...env });
    const ended = outcomeOf(refunding);
    const key = await posted;
    refunding.kill("SIGINT");
    const { code, err } = await ended;
    close();
    expect(code).toBe(130);
    expect(JSON.parse(err)).toMatchObject({ error: { code: "interrupted", exit_code: 130, key } });
  });

  it("a POST that is interrupted while Cognito renews its token ends the process without a response of Cognito", async () => {
    const cognito = Promise.withResolvers<void>();
    const pool = await serve(() => cognito.resolve());
    const { apiUrl, close } = await serve((request, response) => {
      response.writeHead(request.method === "POST" ? 401 : 200, { "content-type": "application/problem+json" });
      response.end('{"stage":"test","code":"expired_token","status":401}');
    });
    const session = {
      api_url: apiUrl,
      pool: { user_pool_id: "eu-central-1_a", client_id: "a", endpoint: pool.apiUrl },
      username: "ana",
      access_token: "expired",
      refresh_token: "refresh",
      expires_at: Date.now() + 3_600_000,
    };
    const file = await write("expired.json", [session]);
    const refunding = start(["--json", ...refund(1), "--yes"], { ODIS_CONFIG: file, NODE_OPTIONS: withoutLimits });
    const ended = outcomeOf(refunding);
    await cognito.promise;
    refunding.kill("SIGINT");
    const { code, err } = await ended;
    close();
    pool.close();
    expect(code).toBe(130);
    expect(JSON.parse(err)).toMatchObject({ error: { code: "interrupted" } });
  });

  it("the error of a refused request lists each invalid field once", async () => {
    const { id } = await aMember(api.table, community);
    const { err } = await odis(["members", "edit", String(id), ...of, "--metadata", '{"blocked":true}']);
    expect(err.split("\n").slice(1)).toEqual([
      expect.stringMatching(/^validation_failed \(request \S+\)$/),
      "  /member/metadata/blocked: is read-only",
      "",
    ]);
  });

  it("a command group without a command shows its help, and exits with 2", async () => {
    const { code, err } = await odis(["members"]);
    expect(code).toBe(2);
    expect(err).toMatch(/Usage: odis members [^]*The command is missing\n$/);
    const forPrograms = await odis(["--json", "members"]);
    expect(JSON.parse(forPrograms.err)).toEqual({
      error: { code: "usage", message: "The command is missing", exit_code: 2 },
    });
  });
});
