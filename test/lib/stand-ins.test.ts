import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { cognito } from "#lib/auth/verify.ts";
import { readStripeSecret } from "#lib/secrets.ts";
import { documents } from "#lib/store/table.ts";

beforeEach(() => {
  for (const name of ["AWS_ENDPOINT_URL_DYNAMODB", "JWKS", "STRIPE_SECRET", "STRIPE_SECRET_ARN"]) vi.stubEnv(name, "");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

it("without another endpoint, the table is that of DynamoDB itself", async () => {
  let asked: unknown;
  const client = documents();
  client.middlewareStack.add(
    () =>
      async ({ request }) => {
        asked = request;
        throw new Error("Asked enough");
      },
    { step: "finalizeRequest" },
  );
  await expect(client.send(new GetCommand({ TableName: "odis", Key: { pk: "A", sk: "B" } }))).rejects.toThrow("Asked");
  expect(asked).toMatchObject({ protocol: "https:", hostname: "dynamodb.eu-central-1.amazonaws.com" });
});

it("without STRIPE_SECRET, Stripe's keys are read from Secrets Manager", async () => {
  await expect(readStripeSecret()).rejects.toThrow("STRIPE_SECRET_ARN");
});

it("without JWKS, the public keys are fetched from the pool", () => {
  vi.stubEnv("USER_POOL_ID", "eu-central-1_Pool");
  vi.stubEnv("CLIENT_ID", "client");
  expect(cognito).not.toThrow();
});
