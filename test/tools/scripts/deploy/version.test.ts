import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { settingsFor } from "../../../../infra/settings.ts";
import packageJson from "../../../../package.json" with { type: "json" };
import { versionIn, versionOf } from "../../../../tools/scripts/deploy/version.ts";
import { synthesized } from "../../../infra/synthesized.ts";
import { temporaryFolder } from "../../../support/set-up.ts";

const folder = temporaryFolder();

function repository() {
  const path = mkdtempSync(join(folder, "copy-"));
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...words], { cwd: path })
      .toString()
      .trim();
  const commit = (text: string): string => {
    writeFileSync(join(path, "file"), text);
    git("add", ".");
    git("commit", "--quiet", "--message", text);
    return git("rev-parse", "HEAD").slice(0, 12);
  };
  git("init", "--quiet");
  return { path, commit };
}

it("the deployed version is the release and the commit", async () => {
  const { path, commit } = repository();
  const first = commit("first");
  expect(await versionOf(path, "2.0.0")).toBe(`2.0.0+${first}`);
  const second = commit("second");
  expect(second).not.toBe(first);
  expect(await versionOf(path, "2.0.0")).toBe(`2.0.0+${second}`);
});

it("the version of a working copy with changed or new files is marked as dirty", async () => {
  const { path, commit } = repository();
  const hash = commit("first");
  writeFileSync(join(path, "new"), "");
  expect(await versionOf(path, "2.0.0")).toBe(`2.0.0+${hash}.dirty`);
});

it("the version of a folder without Git is the release", async () => {
  expect(await versionOf(mkdtempSync(join(folder, "plain-")), "2.0.0")).toBe("2.0.0");
});

it("a template says of which version it was made", () => {
  const { template } = synthesized(settingsFor("sandbox"));
  expect(versionIn(JSON.stringify(template.toJSON()))).toBe(packageJson.version);
  expect(versionIn('{"Outputs":{"ApiUrl":{"Value":"https://a.example.com"}}}')).toBeUndefined();
});
