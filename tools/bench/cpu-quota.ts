import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A group of processes that together get a share of one CPU. */
export type CpuQuota = {
  /** A process that writes its id here is in the group from then on. */
  readonly join: string;
  readonly set: (share: number) => void;
  readonly remove: () => void;
};

/** As long as Lambda's seem to be: what is not used in a period is lost, and what was used up waits for the next. */
const periodUs = 20_000;

const root = "/sys/fs/cgroup";

/** Undefined where there is no cgroup that may be written: it takes root, on Linux. */
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
