import { spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cached } from "../../tools/build/cache.ts";

/**
 * The folder of DynamoDB Local's jars, fetched with Maven where it is not there yet: its licence forbids passing it on,
 * so it cannot be a package of ours. A reason instead where it cannot be had.
 */
export function fetchDynamoDBLocal(): { readonly lib: string } | { readonly missing: string } {
  const [, version = "0"] = /version "(\d+)/.exec(spawnSync("java", ["-version"], { encoding: "utf8" }).stderr) ?? [];
  if (Number(version) < 17) return { missing: "it needs Java 17" };

  const lib = cached("dynamodb-local-2.6.1");
  if (existsSync(lib)) return { lib };
  const unfinished = `${lib}.${process.pid}`;
  const copy = ["dependency:copy-dependencies", "-DincludeScope=runtime", `-DoutputDirectory=${unfinished}`];
  const pom = join(import.meta.dirname, "pom.xml");
  const { error, status, stdout } = spawnSync("mvn", ["-q", "-B", "-f", pom, ...copy], { encoding: "utf8" });
  if (error) return { missing: "its jars are fetched with Maven, and there is no mvn here" };
  if (status !== 0) return { missing: `Maven could not fetch its jars: ${stdout.slice(0, 500)}` };
  // Another run may have been first.
  if (existsSync(lib)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, lib);
  return { lib };
}
