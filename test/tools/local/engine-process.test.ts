import { expect, test, vi } from "vitest";
import { onFreePort, run } from "../../../tools/local/dynamodb/process.ts";
import { serve } from "../../../tools/local/loopback.ts";

test("a port that was taken in the meantime is replaced by another one", async () => {
  const start = vi
    .fn<(port: number) => Promise<string>>()
    .mockRejectedValueOnce(new Error("port 1 is already in use"))
    .mockResolvedValueOnce("started");
  const { port, started } = await onFreePort(start);
  expect(started).toBe("started");
  expect(start.mock.calls.map(([tried]) => tried)).toEqual([expect.any(Number), port]);
});

test("other failures are not retried, and a port that is always taken fails in the end", async () => {
  const broken = vi.fn<(port: number) => Promise<string>>().mockRejectedValue(new Error("broken"));
  await expect(onFreePort(broken)).rejects.toThrow("broken");
  expect(broken).toHaveBeenCalledTimes(1);

  const taken = vi.fn<(port: number) => Promise<string>>().mockRejectedValue(new Error("in use"));
  await expect(onFreePort(taken, 3)).rejects.toThrow("in use");
  expect(taken).toHaveBeenCalledTimes(3);
});

test("a foreign server on the port is not mistaken for the engine", async () => {
  const other = await serve({ port: 0, maxBodyBytes: 0 }, async () => ({ status: 200, headers: [], body: "" }));
  const port = Number(new URL(other.url).port);
  await expect(run(["sleep", "60"], port)).rejects.toThrow(`port ${port} is in use`);
  await other.close();
});

test("the error of an engine that ends before it responds has its output", async () => {
  const { port } = await onFreePort(async () => {});
  await expect(run(["sh", "-c", "echo no disk >&2; exit 1"], port)).rejects.toThrow("did not start: no disk");
});
