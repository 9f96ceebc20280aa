import { existsSync, readFileSync } from "node:fs";

/**
 * One execution environment, alone in its process, so that its memory is its own: imports the function, calls it cold,
 * then warm with one event after another, and prints what that took.
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

/** CPU time is what counts: a busy machine is to slow it down, not to end it. */
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

/** The most memory that this process has had. What Linux calls `maxrss` is also its parent's, from before `exec`. */
function peakMb(): number {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  const [, kb = process.resourceUsage().maxRSS] = /^VmHWM:\s+(\d+)/m.exec(status) ?? [];
  return Number(kb) / 1024;
}

type Handler = (event: unknown, context: object) => Promise<{ statusCode: number; body: string }>;
