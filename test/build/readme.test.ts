import { expect, it } from "vitest";
import { readme } from "../../infra/readme.ts";

it("shows the routes as the contract has them: npm run readme", async () => {
  const { current, expected } = await readme();
  expect(current).toBe(expected);
});
