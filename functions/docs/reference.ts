import file from "document:reference.html";
import { reference } from "#lib/contract/docs.ts";
import { fileEndpoint } from "#lib/http/file.ts";

export const handler = fileEndpoint(reference, file);
