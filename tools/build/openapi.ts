import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command, run } from "../command.ts";

const root = join(import.meta.dirname, "../..");

const program = command("npm run openapi --", "Generates openapi.json and the client's types from the contract.")
  .option("--check", "Write nothing, and fail if one of these files differs from the contract")
  .action(async ({ check }: { readonly check?: true }) => {
    const [{ openapi }, { clientTypes }] = await Promise.all([
      import("./openapi/document.ts"),
      import("./openapi/client-types.ts"),
    ]);
    const document = openapi();
    const files = {
      "openapi.json": `${JSON.stringify(document, null, 2)}\n`,
      "client/schema.ts": clientTypes(document),
    };
    for (const [name, contents] of Object.entries(files)) {
      const file = join(root, name);
      if (!check) writeFileSync(file, contents);
      else if (!existsSync(file) || readFileSync(file, "utf8") !== contents)
        throw new Error(`${name} differs from the contract: run \`npm run openapi\` and commit it`);
    }
  });

await run(program);
