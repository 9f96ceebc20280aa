import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { command, run } from "../command.ts";

const root = join(import.meta.dirname, "../..");

const Package = v.object({
  version: v.optional(v.string()),
  integrity: v.optional(v.string()),
  resolved: v.optional(v.string()),
  license: v.optional(v.string()),
  dev: v.optional(v.boolean(), false),
  link: v.optional(v.boolean(), false),
  /** Whether the package is part of another package's archive and covered by its integrity. */
  inBundle: v.optional(v.boolean(), false),
  hasInstallScript: v.optional(v.boolean(), false),
});
export type Package = v.InferInput<typeof Package>;

const Lock = v.object({ packages: v.record(v.string(), Package) });
const Manifest = v.object({ allowScripts: v.optional(v.record(v.string(), v.boolean()), {}) });

/** Licenses that only require attribution. */
const permissive = "0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT Unlicense Zlib".split(" ");
/**
 * Additional licenses for tools, which are neither deployed nor changed. They require sharing changes of their own
 * files or a summary of them.
 */
const forTools = [...permissive, "MPL-2.0", "Python-2.0"];

/**
 * Returns the problems of the packages in a lock file, one sentence each. `allowScripts` names the packages that may
 * run install scripts.
 */
export function wrongIn(
  packages: Readonly<Record<string, Package>>,
  allowScripts: Readonly<Record<string, boolean>> = {},
): string[] {
  return Object.entries(packages).flatMap(([path, entry]) => {
    const lockedPackage = v.parse(Package, entry);
    // A package of this repository.
    if (!path.includes("node_modules/") || lockedPackage.link) return [];
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const isAllowed = allowScripts[name] === true;
    const wrong = [
      !lockedPackage.inBundle && !lockedPackage.integrity?.startsWith("sha512-") && "has no sha512 integrity",
      lockedPackage.resolved !== undefined && "names an address of its own",
      lockedPackage.hasInstallScript && !isAllowed && "has an install script that package.json does not allow",
      !mayUse(lockedPackage.license ?? "", lockedPackage.dev ? forTools : permissive) &&
        `has the licence ${lockedPackage.license ?? "of nobody"}`,
    ];
    return wrong.filter((what) => what !== false).map((what) => `${path} ${what}`);
  });
}

/** Whether an SPDX expression allows use under the given licenses: one side of each OR, both sides of each AND. */
function mayUse(expression: string, licences: readonly string[]): boolean {
  const alternatives = expression.replaceAll(/[()]/g, "").split(" OR ");
  return alternatives.some((terms) => terms.split(" AND ").every((term) => licences.includes(term.trim())));
}

/** The lock files of the repository, from its root. */
export const lockFiles = (): string[] =>
  globSync("{.,tools/**,examples/*}/package-lock.json", {
    cwd: root,
    exclude: (path) => path.includes("node_modules"),
  }).toSorted();

const read = <S extends v.GenericSchema>(schema: S, file: string): v.InferOutput<S> =>
  v.parse(schema, JSON.parse(readFileSync(join(root, file), "utf8")));

/** Returns the problems of a lock file of the repository. */
export const wrongInLock = (file: string): string[] =>
  wrongIn(read(Lock, file).packages, read(Manifest, join(dirname(file), "package.json")).allowScripts);

const Signatures = v.object({ invalid: v.array(v.unknown()), missing: v.array(v.unknown()) });

/** Returns npm's findings about the registry's signatures. Undefined if the registry has no signatures. */
function wrongSignatures(): readonly unknown[] | undefined {
  const { stdout } = spawnSync("npm", ["audit", "signatures", "--json"], { cwd: root, encoding: "utf8" });
  try {
    const { invalid, missing } = v.parse(Signatures, JSON.parse(stdout));
    return [...invalid, ...missing];
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const program = command(
    "npm run check:supply",
    "Fails if a package has no integrity hash, an install script or licence that is not allowed, or an invalid signature.",
  ).action(() => {
    const files = lockFiles();
    const wrong = files.flatMap((file) => wrongInLock(file).map((what) => `${file}: ${what}`));
    const signatures = wrongSignatures();
    if (signatures === undefined) console.error("NOT TESTED: signatures, because the registry does not provide them");
    else wrong.push(...signatures.map((one) => `signature: ${JSON.stringify(one)}`));
    if (wrong.length > 0) console.error(wrong.join("\n"));
    else console.log(`All packages of ${files.length} lock files have an integrity hash and an allowed licence.`);
    process.exitCode = wrong.length > 0 ? 1 : 0;
  });
  await run(program);
}
