import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/set-up.ts";

/** Every script, and the first words of its help. */
const scripts = {
  "tools/local/start.ts": "Usage: npm start --",
  "packages/stripe-stand-in/src/main.ts": "Usage: stripe-stand-in",
  "tools/scripts/token.ts": "Usage: npm run token --",
  "tools/scripts/events.ts": "Usage: npm run events --",
  "tools/scripts/sam.ts": "Usage: npm run sam --",
  "tools/scripts/reconcile.ts": "Usage: npm run reconcile --",
  "tools/scripts/rebuild.ts": "Usage: npm run rebuild --",
  "tools/scripts/erasures-replay.ts": "Usage: npm run erasures:replay --",
  "tools/scripts/migrate.ts": "Usage: npm run migrate --",
  "tools/scripts/example.ts": "Usage: npm run example --",
  "tools/scripts/deploy.ts": "Usage: npm run deploy --",
  "tools/scripts/destroy.ts": "Usage: npm run destroy --",
  "tools/scripts/restore.ts": "Usage: npm run restore --",
  "tools/scripts/restore-records.ts": "Usage: npm run restore:records --",
  "tools/scripts/redrive.ts": "Usage: npm run redrive --",
  "tools/scripts/logs.ts": "Usage: npm run logs --",
  "tools/scripts/doctor.ts": "Usage: npm run doctor --",
  "tools/scripts/try-on-aws.ts": "Usage: npm run try:aws --",
  "tools/scripts/pool-export.ts": "Usage: npm run pool:export --",
  "tools/scripts/pool-import.ts": "Usage: npm run pool:import --",
  "tools/scripts/stripe-setup.ts": "Usage: STRIPE_SECRET_KEY=sk_… npm run stripe:setup --",
  "tools/build/build.ts": "Usage: npm run build --",
  "tools/scripts/admin-create.ts": "Usage: npm run admin:create --",
  "tools/build/openapi.ts": "Usage: npm run openapi --",
  "tools/build/openapi-diff.ts": "Usage: npm run openapi:diff --",
  "tools/build/stand-in.ts": "Usage: npm run build --workspace stripe-stand-in",
  "tools/build/supply-chain.ts": "Usage: npm run check:supply",
  "tools/build/tables.ts": "Usage: npm run docs",
  "tools/build/scan.ts": "Usage: npm run scan --",
  "tools/build/budget.ts": "Usage: npm run check:bundles",
  "tools/build/lint-template.ts": "Usage: npm run check:template",
  "tools/bench/bench.ts": "Usage: npm run bench --",
  "tools/bench/figures.ts": "Usage: npm run figures",
  "test/deployed/run.ts": "Usage: npm run test:deployed",
  "test/versions/run.ts": "Usage: npx node test/versions/run.ts",
  "test/fuzz/fuzz.ts": "Usage: npx node test/fuzz/fuzz.ts",
  "test/simulation/main.ts": "Usage: npm run test:simulation --",
};

/** Required options of commands. Commander reports a missing required option before an unknown option. */
const required = new Map([
  ["tools/scripts/token.ts", " --user 1"],
  ["tools/scripts/admin-create.ts", " --email you@example.com"],
  ["tools/scripts/destroy.ts", " --stage sandbox"],
]);

type Outcome = { readonly code: number; readonly out: string; readonly err: string };
/** An environment without variables of the developer's shell. */
const environment = {
  PATH: process.env.PATH,
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
};

/** Runs a script. @param call the script and its arguments, separated by spaces */
const start = (call: string, env: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
  new Promise((resolve) => {
    // Caches compiled scripts, because compiling takes half of the start time.
    const variables = { ...environment, NODE_COMPILE_CACHE: join(folder, "compiled"), ...env };
    execFile(process.execPath, call.split(" "), { env: variables }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });

const folder = temporaryFolder();
const server = createServer();
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => server.close());
const takenPort = () => String((server.address() as AddressInfo).port);

const oneLine = (code: number, text: RegExp | string) => ({
  code,
  out: "",
  err: expect.stringMatching(typeof text === "string" ? `^.*${text}.*\n$` : text),
});

describe.concurrent.each(Object.entries(scripts))("%s", (script, usage) => {
  it("--help describes the command", async () => {
    const { code, out, err } = await start(`${script} --help`);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(new RegExp(`^${usage}.*\n\n[A-Z].*[^]*--help`));
  });

  it("an unknown option prints one line and exits with 2", async () => {
    expect(await start(`${script}${required.get(script) ?? ""} --nonsense`)).toEqual(oneLine(2, /^.*--nonsense.*\n$/));
  });
});

describe.concurrent("a usage error prints one line and exits with 2", () => {
  it.each([
    "tools/local/start.ts --port http",
    "tools/local/start.ts --port 65536",
    "tools/local/start.ts --port 65532",
    "tools/local/start.ts --port",
    "tools/local/start.ts 3000",
    "tools/local/start.ts --origin http://localhost:5173/joined",
    "packages/stripe-stand-in/src/main.ts --port http",
    "packages/stripe-stand-in/src/main.ts --port",
    "tools/scripts/token.ts",
    "tools/scripts/token.ts --user 0",
    "tools/scripts/token.ts --user 1.5",
    "tools/scripts/token.ts --user 1 --expires-in soon",
    "tools/scripts/example.ts --port http",
    "tools/scripts/example.ts /nowhere",
    "tools/scripts/example.ts package.json",
    "tools/scripts/sam.ts",
    "tools/scripts/deploy.ts --monitor 181",
    "tools/scripts/deploy.ts",
    "tools/scripts/destroy.ts --stage sandbox",
    "tools/scripts/destroy.ts --stage prod --yes",
    "tools/scripts/stripe-setup.ts",
    "tools/scripts/stripe-setup.ts --api-url example",
    "tools/scripts/restore.ts --from odis --to restored",
    "tools/scripts/restore-records.ts --from odis-restored",
    "tools/scripts/restore.ts --to restored --time 2026-11-21T05:00:00Z",
    "tools/scripts/restore.ts --from odis --to restored --time 2026-11-21",
    "tools/scripts/redrive.ts",
    "tools/scripts/redrive.ts --bucket odis --since yesterday",
    "tools/scripts/redrive.ts --bucket odis --since 2026-11-21T05:00:00Z --until 2026-11-21T05:00:00Z",
    "tools/scripts/logs.ts --since yesterday",
    "tools/scripts/doctor.ts",
    "tools/scripts/doctor.ts --stage prod --local",
    "tools/scripts/pool-export.ts --pool eu-central-1_1",
    "tools/scripts/pool-import.ts --pool eu-central-1_1",
    "tools/scripts/pool-import.ts --from package.json",
    "tools/scripts/rebuild.ts --table odis",
    "tools/build/openapi-diff.ts HEAD HEAD~1",
    "tools/bench/bench.ts nothing",
    "test/fuzz/fuzz.ts --examples many",
    "test/simulation/main.ts --histories none",
  ])("the usage error of %s is one line", async (call) => {
    expect(await start(call)).toEqual(oneLine(2, /^.+\n$/));
  });
});

/** Variables of a machine without AWS credentials. */
const none = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", AWS_EC2_METADATA_DISABLED: "true" };

it.concurrent.each([
  "tools/scripts/redrive.ts",
  "tools/scripts/restore.ts --to restored --time 2026-11-21T05:00:00Z",
  "tools/scripts/pool-export.ts",
  "tools/scripts/pool-import.ts --from package.json",
  "tools/scripts/pool-import.ts --pool eu-central-1_1 --from-table",
])("%s asks for --stage before it looks for AWS credentials", async (call) => {
  expect(await start(call, { ...none, HOME: folder })).toEqual(oneLine(2, "Set --stage"));
});

describe.concurrent("a failure prints one line and exits with 1", () => {
  it.each([
    "tools/scripts/token.ts --user 1",
    "tools/scripts/events.ts",
    "tools/scripts/example.ts",
    "tools/scripts/sam.ts MembersList",
    "tools/scripts/reconcile.ts",
    "tools/scripts/rebuild.ts",
  ])("%s without a running stack prints one line and exits with 1", async (call) => {
    expect(await start(`${call} --folder ${folder}`)).toEqual(oneLine(1, `No stack is running in ${folder}`));
  });

  it("a command for a killed stack prints one line and exits with 1", async () => {
    const killed = join(folder, "killed");
    await mkdir(killed);
    const gone = "http://127.0.0.1:1";
    const local = { api_url: gone, cognito_url: gone, control_url: gone, environment: {} };
    await writeFile(join(killed, "local.json"), JSON.stringify(local));
    expect(await start(`tools/scripts/token.ts --user 1 --folder ${killed}`)).toEqual(oneLine(1, "does not respond"));
  });

  it.each(["tools/local/start.ts --fresh", "packages/stripe-stand-in/src/main.ts"])(
    "%s on a port in use prints one line and changes nothing",
    async (call) => {
      const kept = await mkdtemp(join(folder, "kept-"));
      await writeFile(join(kept, "data"), "");
      const outcome = await start(`${call} --port ${takenPort()} --folder ${kept}`);
      expect(outcome).toEqual(oneLine(1, `Port ${takenPort()} is in use`));
      expect(await readdir(kept)).toEqual(["data"]);
    },
  );

  const nowhere = {
    TABLE_NAME: "odis",
    AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:1",
    AWS_ENDPOINT_URL_SECRETS_MANAGER: "http://127.0.0.1:1",
  };
  it("a command for an unreachable table prints one line and exits with 1", async () => {
    expect(await start("tools/scripts/rebuild.ts", nowhere)).toEqual(oneLine(1, "ECONNREFUSED"));
  });

  it("a deployment without credentials prints one line and exits with 1", async () => {
    const outcome = await start("tools/scripts/deploy.ts --yes", { ...none, HOME: folder });
    expect(outcome).toEqual(oneLine(1, "Could not load credentials"));
  });

  it("a deployment of an unknown stage prints one line and exits with 1", async () => {
    const outcome = await start("tools/scripts/deploy.ts --yes --stage staging");
    expect(outcome).toEqual(oneLine(1, 'Unknown stage "staging"'));
  });

  it("a command for an unreachable secret prints one line and exits with 1", async () => {
    const env = { ...nowhere, STRIPE_SECRET_ARN: "arn:aws:secretsmanager:eu-central-1:000000000000:secret:Stripe" };
    expect(await start("tools/scripts/reconcile.ts", env)).toEqual(oneLine(1, "ECONNREFUSED"));
  });

  it("a comparison with an unknown commit prints one line and exits with 1", async () => {
    expect(await start("tools/build/openapi-diff.ts nothing")).toEqual(
      oneLine(1, "Commit nothing has no openapi.json"),
    );
  });
});
