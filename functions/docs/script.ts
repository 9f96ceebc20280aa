import file from "document:reference.js";
import { script } from "#lib/contract/docs.ts";
import { fileEndpoint } from "#lib/http/file.ts";

export const handler = fileEndpoint(script, file);
