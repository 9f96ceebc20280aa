/**
 * One cold start, alone in its process: imports a bundle, calls its handler once and prints the CPU time of both. It
 * imports nothing itself, so that whatever the bundle needs is loaded at its own expense.
 */
const { bundle, event } = JSON.parse(process.argv[2] ?? "") as { bundle: string; event: unknown };

// Lambda's runtime has loaded these before it looks at a function.
for (const name of ["assert", "fs", "http", "net", "path", "util"]) process.getBuiltinModule(name);

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const before = cpuMs();
const { handler } = (await import(bundle)) as { handler: Handler };
const loaded = cpuMs();
const { statusCode: status } = await handler(event, { getRemainingTimeInMillis: () => 10_000 });
const answered = cpuMs();

console.log(JSON.stringify({ init: loaded - before, call: answered - loaded, status }));

type Handler = (event: unknown, context: object) => Promise<{ statusCode: number }>;
