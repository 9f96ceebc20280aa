import { existsSync, readFileSync } from "node:fs";

/**
 * Measures one execution environment in its own process: imports the function, calls it cold, then warm with each event
 * in turn, and prints times and memory.
 */
const { bundle, events, rounds } = JSON.parse(process.argv[2] ?? "") as {
  bundle: string;
  events: unknown[];
  rounds: number;
};

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const { handler } = (await import(bundle)) as { handler: Handler };

/** A generous deadline, because CPU time is measured and a busy machine must not cause a timeout. */
const context = { getRemainingTimeInMillis: () => 60_000 };

async function call(event: unknown) {
  const [start, before] = [performance.now(), cpuMs()];
  const { statusCode, body } = await handler(event, context);
  const taken = { ms: performance.now() - start, cpu: cpuMs() - before };
  if (statusCode !== 200) throw new Error(`The function answered ${statusCode}: ${body}`);
  return taken;
}

const cold = await call(events[0]);
const samples = events.map(() => [] as { ms: number; cpu: number }[]);
for (let round = rounds > 0 ? -10 : 0; round < rounds; round++)
  for (const [n, event] of events.entries()) {
    const sample = await call(event);
    if (round >= 0) samples[n]?.push(sample);
  }

console.log(JSON.stringify({ cold, samples, memoryMb: peakMb() }));

/** Peak memory of this process in MB. `maxrss` would include the parent's memory before `exec`. */
function peakMb(): number {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  const [, kb = process.resourceUsage().maxRSS] = /^VmHWM:\s+(\d+)/m.exec(status) ?? [];
  return Number(kb) / 1024;
}

type Handler = (event: unknown, context: object) => Promise<{ statusCode: number; body: string }>;
