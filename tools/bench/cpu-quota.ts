import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A group of processes that share a part of one CPU. */
export type CpuQuota = {
  /** File of the group. A process that writes its id here joins the group. */
  readonly join: string;
  readonly set: (share: number) => void;
  readonly remove: () => void;
};

/**
 * Length of a quota period, about that of Lambda. Unused time expires, and a process that has used up its quota waits
 * for the next period.
 */
const periodUs = 20_000;

const root = "/sys/fs/cgroup";

/** Creates a group. Undefined if cgroups are not writable, as without root or outside Linux. */
export function openQuota(): CpuQuota | undefined {
  const isUnified = existsSync(join(root, "cgroup.controllers"));
  const folder = join(root, isUnified ? "" : "cpu", `odis-bench-${process.pid}`);
  const put = (file: string, text: string) => writeFileSync(join(folder, file), text);
  try {
    if (isUnified && !readFileSync(join(root, "cgroup.subtree_control"), "utf8").includes("cpu"))
      writeFileSync(join(root, "cgroup.subtree_control"), "+cpu");
    mkdirSync(folder);
    if (isUnified) put("cpu.max", `max ${periodUs}`);
    else put("cpu.cfs_period_us", String(periodUs));
  } catch {
    return undefined;
  }
  return {
    join: join(folder, "cgroup.procs"),
    set(share) {
      const quota = Math.round(share * periodUs);
      if (isUnified) put("cpu.max", `${quota} ${periodUs}`);
      else put("cpu.cfs_quota_us", String(quota));
    },
    remove: () => rmdirSync(folder),
  };
}
