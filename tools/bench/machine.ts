import { arch, availableParallelism, cpus, platform, totalmem } from "node:os";

/** The machine of a benchmark run. */
export type Machine = ReturnType<typeof thisMachine>;

export const thisMachine = () => ({
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: availableParallelism(),
  memory_gb: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${arch()}`,
  node: process.version,
});

/** Returns date and machine as text. */
export const textOf = ({ date, machine }: { readonly date: string; readonly machine: Machine }): string => {
  const { cpu, cores, memory_gb, system, node } = machine;
  return `${date.slice(0, 10)}, ${cpu}, ${cores} cores, ${memory_gb} GB, ${system}, Node.js ${node}`;
};
