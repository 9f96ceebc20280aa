import file from "document:openapi.json";
import { openapi } from "#lib/contract/docs.ts";
import { fileEndpoint } from "#lib/http/file.ts";

export const handler = fileEndpoint(openapi, file);
