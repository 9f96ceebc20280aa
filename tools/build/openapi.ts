import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openapi } from "./openapi/document.ts";

/** `npm run openapi` writes the document, `npm run check:openapi` says whether it is what the contract says. */
const file = join(import.meta.dirname, "../../openapi.json");
const document = `${JSON.stringify(openapi(), null, 2)}\n`;

if (!process.argv.includes("--check")) writeFileSync(file, document);
else if (!existsSync(file) || readFileSync(file, "utf8") !== document) {
  console.error("openapi.json is not what the contract says: run `npm run openapi` and commit it");
  process.exitCode = 1;
}
