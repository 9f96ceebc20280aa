import type { Command } from "commander";
import type { Context } from "./context.ts";
import { addListen } from "./events.ts";
import { addBrandImport, addMemberExport, addMemberImport } from "./file-commands.ts";

/** The commands that do more than call one route, by their group. */
export const longCommands: Readonly<Record<string, readonly ((group: Command, contextOf: () => Context) => void)[]>> = {
  members: [addMemberExport, addMemberImport],
  brands: [addBrandImport],
  events: [addListen],
};
