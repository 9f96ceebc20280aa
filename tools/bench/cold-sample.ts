/**
 * Measures one cold start in its own process: imports a bundle, calls its handler once and prints both times. The
 * script imports nothing, so that the bundle's dependencies are loaded within the measured time.
 *
 * With a process group (`cpu-quota.ts`), it joins the group after the import and measures wall time, because Lambda
 * gives the whole CPU to the import and a share to requests. Otherwise it measures CPU time.
 */
const { bundle, event, group } = JSON.parse(process.argv[2] ?? "") as ColdStartInput;

// Lambda's runtime loads these modules before the function.
for (const name of ["assert", "fs", "http", "net", "path", "util"]) process.getBuiltinModule(name);
const fs = process.getBuiltinModule("fs");
// It also writes log lines to a file descriptor, without Node's standard output.
console.log = (line: string) => fs.writeSync(1, `${line}\n`);

const ms = (): number => {
  if (group !== undefined) return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const before = ms();
const { handler } = (await import(bundle)) as { handler: Handler };
const init = ms() - before;
if (group !== undefined) fs.writeFileSync(group, String(process.pid));
const loaded = ms();
const { statusCode: status } = await handler(event, { getRemainingTimeInMillis: () => 10_000 });

console.log(JSON.stringify({ init, call: ms() - loaded, status }));

type ColdStartInput = { readonly bundle: string; readonly event: unknown; readonly group?: string };
type Handler = (event: unknown, context: object) => Promise<{ statusCode: number }>;
