import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command, run } from "../command.ts";

/** Text after which something is inserted, and what. */
type Edit = readonly [after: string, inserted: string];
type Edits = Readonly<Record<string, readonly Edit[]>>;

const root = join(import.meta.dirname, "../..");

const nickname: Edits = {
  "lib/domain/member.ts": [
    ["    has_shipping_address: v.boolean(),\n", "    nickname: v.nullable(v.string()),\n"],
    ['    user: "Profile of the person.",\n', '    nickname: ["What friends call the member.", "Doc"],\n'],
    [
      "        shipping_address: v.optional(v.nullable(AddressInput)),\n",
      "        nickname: v.optional(v.nullable(text(0, 64))),\n",
    ],
    [
      "        metadata: v.optional(MetadataPatch),\n      }),\n      {\n",
      '        nickname: ["What friends call the member.", "Doc"],\n',
    ],
  ],
  "lib/domain/member-import.ts": [
    [
      "      is_blocked: v.optional(v.boolean(), false),\n",
      "      nickname: v.optional(v.nullable(text(0, 64)), null),\n",
    ],
    [
      '      is_blocked: "Whether the member is blocked.",\n',
      '      nickname: ["What friends call the member.", "Doc"],\n',
    ],
  ],
  "lib/store/members/editable.ts": [["const fields = {\n", "  nickname: v.optional(v.nullable(v.string()), null),\n"]],
  "test/functions/editable-fields.test.ts": [["const values = {\n  member: {\n", '    nickname: "Doc",\n']],
};

/** A field of the import that is not one of the member, so that the export must say where it comes from. */
const importedOnly: Edits = {
  "lib/domain/member-import.ts": [
    ["      tier_id: Id,\n", "      source: v.optional(v.nullable(text(0, 64)), null),\n"],
    ['      status: "Status of the subscription.",\n', '      source: ["Where the record comes from.", "Patreon"],\n'],
  ],
};

const rules = {
  grantsAccess: "false",
  isLive: "true",
  pays: "false",
  accessReason: '"ended"',
  event: "null",
  isOverdue: "false",
  countDocs: '"Members on a break."',
};

const statusWith = (names: readonly string[]): Edits => ({
  "lib/domain/member-status.ts": [
    [
      "export const statuses = {\n",
      `  paused: { ${Object.entries(rules)
        .filter(([name]) => names.includes(name))
        .map(([name, value]) => `${name}: ${value}`)
        .join(", ")} },\n`,
    ],
  ],
});

const eventType = (type: string, record = "member"): Edits => ({
  "lib/contract/events.ts": [["export const events = {\n", `  "${type}": { summary: "It happens.", ...${record} },\n`]],
});

/** An event type of tiers whose position changes. */
const moved = (field: string): Edits => ({
  ...eventType("tier.moved", "tier"),
  "lib/events/record-changes.ts": [["  tier: {\n", `    "tier.moved": { fields: ["${field}"] },\n`]],
  "test/lib/events/record-changes.test.ts": [
    [
      "  it.each([\n",
      `    ["a moved tier", recordChanges("tier", tier, { ...tier, position: 2 }), [["tier.moved", { position: 1 }]]],
    [
      "a tier that is moved and renamed at once",
      recordChanges("tier", tier, { ...tier, position: 2, name: "Blanco" }),
      [
        ["tier.moved", { position: 1, name: "Reserva" }],
        ["tier.updated", { position: 1, name: "Reserva" }],
      ],
    ],
`,
    ],
  ],
});

type Case = {
  readonly name: string;
  readonly edits: Edits;
  readonly compiles: boolean;
  readonly tests?: readonly string[];
};

const cases: readonly Case[] = [
  {
    name: "a nickname of members",
    edits: nickname,
    compiles: true,
    tests: ["test/functions/editable-fields.test.ts", "test/client/cli/import.test.ts"],
  },
  ...Object.keys(nickname).map((file) => ({
    name: `a nickname of members, forgotten in ${file}`,
    edits: Object.fromEntries(Object.entries(nickname).filter(([name]) => name !== file)),
    compiles: false,
  })),
  { name: "a field of the import that is missing in the export", edits: importedOnly, compiles: false },
  { name: "a status", edits: statusWith(Object.keys(rules)), compiles: true },
  ...Object.keys(rules).map((rule) => ({
    name: `a status without ${rule}`,
    edits: statusWith(Object.keys(rules).filter((name) => name !== rule)),
    compiles: false,
  })),
  { name: "an event type of members without a rule", edits: eventType("member.paused"), compiles: false },
  {
    name: "a kind of item without a rule for erasures",
    edits: {
      "lib/store/keys.ts": [["export const keys = {\n", '  draft: (): Key => ({ pk: "DRAFT", sk: "DRAFT" }),\n']],
    },
    compiles: false,
  },
  { name: "an event type of tiers without a rule", edits: eventType("tier.moved"), compiles: false },
  {
    name: "an event type of tiers for one of their fields, which is not sent with tier.updated",
    edits: moved("position"),
    compiles: true,
    tests: ["test/lib/events/record-changes.test.ts"],
  },
  { name: "an event type of tiers for a field that they do not have", edits: moved("place"), compiles: false },
  { name: "an event type of other records", edits: eventType("invoice.created"), compiles: false },
];

/** A copy of the files that Git knows or would add, with the installed packages of this one. */
function copyRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), "odis-changes-"));
  const files = git("ls-files", "--cached", "--others", "--exclude-standard").split("\n").filter(Boolean);
  for (const file of files) cpSync(join(root, file), join(folder, file), { force: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

const git = (...args: readonly string[]): string => spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout;

/** @throws Error where the text to insert after is not there exactly once */
function apply(folder: string, edits: Edits): void {
  for (const [file, inserts] of Object.entries(edits)) {
    let text = readFileSync(join(root, file), "utf8");
    for (const [after, inserted] of inserts) {
      if (text.split(after).length !== 2) throw new Error(`${file} does not hold exactly once: ${after}`);
      text = text.replace(after, () => after + inserted);
    }
    writeFileSync(join(folder, file), text);
  }
}

/** What `npm run openapi` writes. */
const generated = ["openapi.json", "client/schema.ts"];

const restore = (folder: string, edits: Edits): void => {
  for (const file of [...Object.keys(edits), ...generated]) cpSync(join(root, file), join(folder, file));
};

function spawn(folder: string, name: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(name, args, { cwd: folder, encoding: "utf8" });
  return { passes: status === 0, output: `${stdout}${stderr}`.trim() };
}

/** @returns what is wrong; undefined if the case is as it should be */
function check(folder: string, { edits, compiles, tests }: Case): string | undefined {
  apply(folder, edits);
  const documented = spawn(folder, "node", "tools/build/openapi.ts");
  if (compiles && !documented.passes) return documented.output;
  const types = spawn(folder, "tsc");
  if (types.passes !== compiles) return compiles ? types.output : "compiles";
  if (!tests) return undefined;
  const built = spawn(folder, "node", "tools/build/build.ts");
  if (!built.passes) return built.output;
  const tested = spawn(folder, "vitest", "run", ...tests);
  return tested.passes ? undefined : tested.output;
}

const program = command(
  "npm run check:changes",
  `Makes common changes in a copy of the repository, and fails if they require more edits than they should.

Adding a member field takes edits to at most five files, and does not compile if one of them is forgotten.
Adding a status, an event type, a kind of item or an import field does not compile until it is complete.`,
).action(() => {
  const files = Object.keys(nickname).length;
  if (files > 5) throw new Error(`A field of the member takes ${files} files`);
  const folder = copyRepository();
  try {
    for (const one of cases) {
      const wrong = check(folder, one);
      restore(folder, one.edits);
      const expected = one.compiles ? (one.tests ? "compiles and passes its tests" : "compiles") : "does not compile";
      if (wrong !== undefined) process.exitCode = 1;
      console.log(`${wrong === undefined ? "ok" : "WRONG"}: ${one.name} ${expected}${wrong ? `\n${wrong}` : ""}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

await run(program);
