import { DatabaseSync } from "node:sqlite";

/**
 * Adds an index to dynoxide's file for the last record of its stream. dynoxide 1.2.1 searches for it at every write,
 * which would become slower with each write. Has no effect for other engines, which have no such file.
 */
export function indexStream(file: string): void {
  using database = new DatabaseSync(file, { timeout: 5000 });
  const { tables } =
    database.prepare("SELECT count(*) AS tables FROM sqlite_master WHERE name = '_stream_records'").get() ?? {};
  if (tables === 1)
    database.exec(
      "CREATE INDEX IF NOT EXISTS stream_order ON _stream_records (table_name, CAST(sequence_number AS INTEGER))",
    );
}
