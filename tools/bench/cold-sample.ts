/**
 * One cold start, alone in its process: imports a bundle, calls its handler once and prints what both took. It imports
 * nothing itself, so that whatever the bundle needs is loaded at its own expense.
 *
 * With the file of a group of processes (`cpu-quota.ts`), it joins the group between the two, as Lambda gives the whole
 * CPU to an import and a share of it to a request; then it takes the time of the clock, otherwise that of the CPU.
 */
const { bundle, event, group } = JSON.parse(process.argv[2] ?? "") as Asked;

// Lambda's runtime has loaded these before it looks at a function.
for (const name of ["assert", "fs", "http", "net", "path", "util"]) process.getBuiltinModule(name);

const ms = (): number => {
  if (group !== undefined) return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const before = ms();
const { handler } = (await import(bundle)) as { handler: Handler };
const init = ms() - before;
if (group !== undefined) process.getBuiltinModule("fs").writeFileSync(group, String(process.pid));
const loaded = ms();
const { statusCode: status } = await handler(event, { getRemainingTimeInMillis: () => 10_000 });

console.log(JSON.stringify({ init, call: ms() - loaded, status }));

type Asked = { readonly bundle: string; readonly event: unknown; readonly group?: string };
type Handler = (event: unknown, context: object) => Promise<{ statusCode: number }>;
