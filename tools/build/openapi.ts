import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command, run } from "../command.ts";

const file = join(import.meta.dirname, "../../openapi.json");

const program = command("npm run openapi --", "Generates openapi.json from the contract.")
  .option("--check", "Write nothing, and fail if openapi.json differs from the contract")
  .action(async ({ check }: { readonly check?: true }) => {
    const { openapi } = await import("./openapi/document.ts");
    const document = `${JSON.stringify(openapi(), null, 2)}\n`;
    if (!check) return writeFileSync(file, document);
    if (!existsSync(file) || readFileSync(file, "utf8") !== document)
      throw new Error("openapi.json differs from the contract: run `npm run openapi` and commit it");
  });

await run(program);
