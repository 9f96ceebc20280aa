import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { createTable, startDynamoDB } from "../../../tools/local/dynamodb.ts";

it("indexStream lets the engine number a stream record without reading the earlier ones", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "odis-engine-"));
  const file = join(folder.path, "table.db");
  const engine = await startDynamoDB({ file });
  try {
    await createTable(engine.endpoint, "odis-stream");
    using database = new DatabaseSync(file, { readOnly: true });
    const asked = "SELECT MAX(CAST(sequence_number AS INTEGER)) FROM _stream_records WHERE table_name = 'odis-stream'";
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${asked}`).all();
    expect(plan).toMatchObject([{ detail: expect.stringContaining("INDEX stream_order") as string }]);
  } finally {
    await engine.stop();
  }
});
