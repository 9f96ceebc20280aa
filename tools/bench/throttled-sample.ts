import { writeFileSync } from "node:fs";

/**
 * One cold start as Lambda does it: the bundle is imported with the whole CPU, its first request has what the group
 * gives that this process then joins. Prints the wall time of both.
 */
const { bundle, event, group } = JSON.parse(process.argv[2] ?? "") as {
  bundle: string;
  event: unknown;
  group: string;
};

const start = performance.now();
const { handler } = (await import(bundle)) as { handler: Handler };
const loaded = performance.now();
writeFileSync(group, String(process.pid));
const joined = performance.now();
const { statusCode: status } = await handler(event, { getRemainingTimeInMillis: () => 10_000 });
const answered = performance.now();

console.log(JSON.stringify({ init: loaded - start, call: answered - joined, status }));

type Handler = (event: unknown, context: object) => Promise<{ statusCode: number }>;
