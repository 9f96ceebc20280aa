import { DatabaseSync } from "node:sqlite";

/**
 * Lets dynoxide find the last record of its stream without reading all of them, as 1.2.1 does with every write: a write
 * would otherwise take longer with each write before it. Other engines keep no such file, and are left alone.
 */
export function indexStream(file: string): void {
  using database = new DatabaseSync(file, { timeout: 5000 });
  const { found } =
    database.prepare("SELECT count(*) AS found FROM sqlite_master WHERE name = '_stream_records'").get() ?? {};
  if (found === 1)
    database.exec(
      "CREATE INDEX IF NOT EXISTS stream_order ON _stream_records (table_name, CAST(sequence_number AS INTEGER))",
    );
}
