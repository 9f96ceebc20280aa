import { expect, it } from "vitest";
import { read } from "../../client/problem.ts";

it.each([
  [429, "Too Many Requests", "too_many_requests"],
  [503, "Service Unavailable", "unavailable"],
])(
  "the gateway's own response with status %s becomes a problem with its message: %s",
  async (status, message, code) => {
    await expect(read(Response.json({ message }, { status }))).rejects.toMatchObject({ status, message, code });
  },
);

it("a problem says what was found where if a response is JSON, but not of Odis or its gateway", async () => {
  const response = Response.json({ error: "Busy" }, { status: 503 });
  await expect(read(response)).rejects.toMatchObject({
    message: " is not Odis: 503 application/json",
    code: "unknown",
  });
});

it.each([
  [200, "application/json"],
  [502, "application/json"],
  [502, "application/problem+json"],
])("a response %s of %s whose body is not JSON is a problem that says what was found where", async (status, type) => {
  const response = new Response("<html>", { status, headers: { "content-type": type } });
  await expect(read(response)).rejects.toMatchObject({
    name: "OdisProblem",
    status,
    code: "unknown",
    message: ` is not Odis: ${status} ${type}`,
  });
});
