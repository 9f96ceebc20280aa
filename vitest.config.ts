import { defineConfig } from "vitest/config";
import { ByFolder } from "./test/support/by-folder.ts";
import { constants } from "./tools/build/build.ts";

/**
 * `npm run test:thorough`: what starts the stack or a command as a process or a shell, what installs a package of its own,
 * what lets a request die after each of its calls, histories of the simulation, and what works off thousands of events.
 */
export const thorough = [
  "test/readme.test.ts",
  "test/client/cli/{api-key,calls,events,files,import,sign-in}.test.ts",
  "test/tools/{commands,build/repeatable}.test.ts",
  "test/tools/scripts/{doctor/local,stripe-setup}.test.ts",
  "test/tools/local/cognito/library.test.ts",
  "test/tools/local/{crash,demo-stack,no-stripe}.test.ts",
  "test/lib/http/idempotency.test.ts",
  "test/lib/billing/{collection-crashes,crashes,many-facts,own-change-crashes}.test.ts",
  "test/simulation/{simulation,renewals/*}.test.ts",
  "test/lib/person/crashes.test.ts",
  "test/security/fuzz.test.ts",
];

export default defineConfig({
  // Tests that import a function's source see the constants that its bundle would hold.
  define: constants,
  test: {
    include: ["test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
    exclude: ["test/{consumers,deployed,site}/**", ...thorough],
    globalSetup: "test/support/bundle-functions.ts",
    setupFiles: "test/support/watch-log.ts",
    reporters: ["default", new ByFolder("dynoxide")],
    watch: false,
    // Failures that tests provoke are logged too: log lines are printed only where a test fails.
    silent: "passed-only",
    // The machine that has two cores is the one that matters: an engine and a CDK synth run beside the workers.
    maxWorkers: 2,
    // What only a hang exceeds, also on a machine that is busy with something else.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    env: {
      // `cdk synth` validates the template; here it would cost two seconds a file.
      CDK_VALIDATION: "false",
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      AWS_EC2_METADATA_DISABLED: "true",
      // Tests do in a second what a caller may do in a minute; the one of the limit turns it on.
      THROTTLE: "off",
      LOG_LEVEL: "info",
    },
  },
});
