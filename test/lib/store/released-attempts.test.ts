import { expect, it } from "vitest";
import * as idempotency from "#lib/store/idempotency.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";

const test = startTable();
const begunAt = new Date();
const attempt = (operationId: string, attemptId: string) => ({ operationId, attemptId, fingerprint: "f", begunAt });
const lease = { now: begunAt, leasedUntil: new Date(begunAt.getTime() + 30_000), otherwise: idempotency.inProgress() };
const response = { status: 201, headers: {}, body: "{}" };

for (const hasNoEffect of [true, false])
  it(`keeps a stored response whose write seemed to fail when the attempt with ${hasNoEffect ? "no" : "an"} effect is released`, async () => {
    const operationId = `${hasNoEffect}`;
    const first = attempt(operationId, "first");
    await idempotency.claim(test.table, first, lease);
    await write(test.table, [idempotency.completion(first, response, begunAt)]);

    await idempotency.release(test.table, first, hasNoEffect).catch(() => {});

    await expect(idempotency.claim(test.table, attempt(operationId, "second"), lease)).rejects.toMatchObject({
      code: "request_in_progress",
    });
    await expect(idempotency.find(test.table, operationId)).resolves.toMatchObject({ response });
  });

it("lets the next attempt begin at once when one without a response is released", async () => {
  const first = attempt("unfinished", "first");
  await idempotency.claim(test.table, first, lease);

  await idempotency.release(test.table, first, false);

  await expect(idempotency.claim(test.table, attempt("unfinished", "second"), lease)).resolves.toBeUndefined();
});
