import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import * as v from "valibot";
import { expect, it } from "vitest";
import { lockFiles, type Package, wrongIn, wrongInLock } from "../../tools/build/supply-chain.ts";

const good: Package = { version: "1.0.0", integrity: "sha512-abc=", license: "MIT" };
const wrong = (one: Package, allowed?: Record<string, boolean>) =>
  wrongIn({ "": {}, "node_modules/a/node_modules/@b/c": { ...good, ...one } }, allowed);

it("every package of every lock file has an integrity, an allowed licence and no unknown install script", () => {
  expect(lockFiles()).toEqual([
    "package-lock.json",
    "tools/bench/peers/package-lock.json",
    "tools/check/package-lock.json",
    "tools/cognito-library/package-lock.json",
    "tools/consumers/package-lock.json",
    "tools/scan-compiler/package-lock.json",
  ]);
  expect(lockFiles().flatMap(wrongInLock)).toEqual([]);
});

it.each<[string, Package]>([
  ["no integrity", { integrity: undefined }],
  ["the integrity of an old hash", { integrity: "sha1-abc=" }],
  ["an address of its own", { resolved: "https://evil.example/c.tgz" }],
  ["an address on the same machine", { resolved: "file:../other/c.tgz" }],
  ["an install script", { hasInstallScript: true }],
  ["no licence", { license: undefined }],
  ["a licence that asks for more", { license: "GPL-3.0-only" }],
  ["two licences of which one asks for more", { license: "(MIT AND AGPL-3.0-only)" }],
  ["a licence for tools alone", { license: "MPL-2.0" }],
])("a package with %s is refused", (_, one) => {
  expect(wrong(one)).toEqual([expect.stringMatching(/^node_modules\/a\/node_modules\/@b\/c (has|names) /)]);
});

it.each<[string, Package]>([
  ["a choice of licences", { license: "(GPL-3.0-or-later OR MIT)" }],
  ["two permissive licences", { license: "(MIT AND Zlib)" }],
  ["a tool's licence, for tools", { license: "MPL-2.0", dev: true }],
  ["the integrity of the package that it is bundled in", { integrity: undefined, inBundle: true }],
])("a package with %s is accepted", (_, one) => {
  expect(wrong(one)).toEqual([]);
});

it("install scripts run only for the packages that package.json lists", () => {
  expect(wrong({ hasInstallScript: true }, { "@b/c": true })).toEqual([]);
  expect(wrong({ hasInstallScript: true }, { "@b/c": false, a: true })).toHaveLength(1);
});

it("npm sbom lists every deployed package, as CycloneDX", () => {
  const text = execFileSync("npm", ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const Bom = v.object({
    bomFormat: v.literal("CycloneDX"),
    components: v.array(v.object({ purl: v.string(), version: v.string() })),
  });
  const purls = new Set(v.parse(Bom, JSON.parse(text)).components.map(({ purl }) => decodeURIComponent(purl)));
  const Manifest = v.object({ dependencies: v.record(v.string(), v.string()) });
  const { dependencies } = v.parse(Manifest, JSON.parse(readFileSync("package.json", "utf8")));
  const expected = Object.entries(dependencies).map(([name, version]) => `pkg:npm/${name}@${version}`);
  expect(expected.filter((purl) => !purls.has(purl))).toEqual([]);
});
