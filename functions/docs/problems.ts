import file from "document:problems.html";
import { problems } from "#lib/contract/docs.ts";
import { fileEndpoint } from "#lib/http/file.ts";

export const handler = fileEndpoint(problems, file);
