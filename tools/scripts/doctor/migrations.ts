import { connect, documents } from "#lib/store/table.ts";
import { openMigrations } from "../migrations.ts";
import type { Check, Fault } from "./check.ts";
import { outputOf } from "./stack.ts";

/** Migrations that have not run to their end. */
export const migrationFaults = (open: readonly string[], stage: string): readonly Fault[] =>
  open.length === 0
    ? []
    : [
        {
          says: `${open.length} migrations have not run to their end: ${open.join("; ")}.`,
          command: `npm run migrate -- --stage ${stage}`,
        },
      ];

export const migrations: Check = {
  name: "migrations",
  async look(stack) {
    const client = documents();
    try {
      return migrationFaults(await openMigrations(connect(client, outputOf(stack, "TableName"))()), stack.stage);
    } finally {
      client.destroy();
    }
  },
};
