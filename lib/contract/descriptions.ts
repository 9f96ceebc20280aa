import { globSync } from "node:fs";
import { join } from "node:path";

export { docsOf, jsonSchemaOf } from "../values/documented.ts";

/** Loads the descriptions of all fields, for `docsOf`. Functions do not import this module. */
const lib = join(import.meta.dirname, "..");
for (const file of globSync("{values,domain,contract}/*-docs.ts", { cwd: lib })) await import(join(lib, file));
