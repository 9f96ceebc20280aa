import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import everyday, { thorough } from "../../../vitest.config.ts";
import { labels } from "../conditions.ts";
import { changesOf, type Mutant, type SourceChange } from "../mutants.ts";

const { SIMULATION_MUTANT: mutant, REFUSALS_FILE: refusals } = process.env;

/** Lets `lib/store/write.ts` note the label of each condition that refuses a write. */
const refusalsNoted: SourceChange = {
  file: "lib/store/write.ts",
  change: (source) =>
    source
      .replace("(index) => writes", "(index) => (void refusedLabels.add(writes[index]?.label)) ?? writes")
      .replace("() => new Conflict(", "() => (void refusedLabels.add(sweeping.label)) ?? new Conflict("),
};

const root = join(import.meta.dirname, "../../..");
const changes: readonly SourceChange[] = [
  ...(mutant ? changesOf(JSON.parse(mutant) as Mutant) : []),
  ...(refusals ? [...labels(), refusalsNoted] : []),
];

const changesIn = (path: string) => changes.filter(({ file }) => path === join(root, file));

/** Tests that run the built functions, which the changes do not reach. */
const withBundles = globSync("test/{lib,functions}/**/*.test.ts").filter((file) =>
  /startApi\(|aws-sdks/.test(readFileSync(file, "utf8")),
);

/** The tests of lib, of the functions and of the restore of members, on changed sources. */
export default defineConfig({
  ...everyday,
  plugins: [
    {
      name: "change-sources",
      enforce: "pre",
      transform: (source, path) => changesIn(path).reduce((text, { change }) => change(text), source),
      // A changed source is not taken from the cache, nor kept in it.
      configureVitest: ({ defineCacheKeyGenerator }) =>
        defineCacheKeyGenerator(({ id: path }) => (changesIn(path).length > 0 ? false : undefined)),
    },
  ],
  test: {
    ...everyday.test,
    include: ["test/{lib,functions}/**/*.test.ts", "test/tools/scripts/restore-members.test.ts"],
    exclude: [...thorough, ...withBundles, "test/functions/explore.test.ts"],
    globalSetup: [],
    setupFiles: ["test/support/watch-log.ts", ...(refusals ? ["test/simulation/unit-tests/note-refusals.ts"] : [])],
    reporters: ["json"],
  },
});
