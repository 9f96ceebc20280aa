import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSealing, sealingWith } from "#lib/delivery/sealing.ts";
import { newSecret, storedSecret } from "#lib/delivery/secret.ts";
import { signedHeaders } from "#lib/delivery/signing.ts";
import { machine } from "#lib/runtime.ts";
import { serve } from "../../../tools/local/loopback.ts";

const { seal, open } = sealingWith("a key");

it("a sealed text can be opened for its purpose and does not reveal its content", () => {
  const sealed = seal("whsec_abc", "destination 7");
  expect(open(sealed, "destination 7")).toBe("whsec_abc");
  expect(Buffer.from(sealed, "base64").includes("whsec")).toBe(false);
  expect(seal("whsec_abc", "destination 7")).not.toBe(sealed);
});

it("a sealed text cannot be opened for another purpose, with another key, or after an alteration", () => {
  const sealed = seal("whsec_abc", "destination 7");
  const altered = Buffer.from(sealed, "base64");
  altered.writeUInt8(altered.readUInt8(altered.length - 1) ^ 1, altered.length - 1);
  expect(() => open(sealed, "destination 8")).toThrow("unable to authenticate data");
  expect(() => sealingWith("another key").open(sealed, "destination 7")).toThrow("unable to authenticate data");
  expect(() => open(altered.toString("base64"), "destination 7")).toThrow("unable to authenticate data");
});

describe("a key that was replaced", () => {
  it("a replaced sealing key is used for at most five minutes, or while Secrets Manager fails", async () => {
    let answer: object | undefined = { SecretString: "old key" };
    const secretsManager = await serve({ port: 0, maxBodyBytes: 10_000 }, async () => ({
      status: answer ? 200 : 400,
      headers: [["content-type", "application/x-amz-json-1.1"]],
      body: JSON.stringify(answer ?? { __type: "InternalServiceError", message: "no" }),
    }));
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await secretsManager.close();
    });
    vi.stubEnv("AWS_ENDPOINT_URL_SECRETS_MANAGER", secretsManager.url);
    vi.stubEnv("SEALING_KEY", "");
    vi.stubEnv("SEALING_KEY_ARN", "arn:aws:secretsmanager:eu-central-1:000000000000:secret:Sealing");
    const sealedBy = (key: string) => sealingWith(key).seal("whsec_abc", "destination 7");
    const openAfter = async (minutes: number, sealed: string) =>
      (await openSealing(undefined, new Date(Date.UTC(2030, 0, 1, 12, minutes)))).open(sealed, "destination 7");

    expect(await openAfter(0, sealedBy("old key"))).toBe("whsec_abc");
    answer = { SecretString: "new key" };
    expect(await openAfter(4, sealedBy("old key"))).toBe("whsec_abc");
    expect(await openAfter(5, sealedBy("new key"))).toBe("whsec_abc");
    answer = undefined;
    expect(await openAfter(11, sealedBy("new key"))).toBe("whsec_abc");
  });

  it("a destination whose previous secret cannot be opened receives events that are signed with the new one", () => {
    const [before, after] = [newSecret(machine), newSecret(machine)];
    const { secret: lost } = storedSecret(before, 7, sealingWith("old key"));
    const sealing = sealingWith("new key");
    const { secret } = storedSecret(after, 7, sealing);
    const at = new Date();
    const until = new Date(at.getTime() + 60_000).toISOString();
    const sent = { eventId: "evt_1", body: '{"id":"evt_1"}', at };

    const headers = signedHeaders({ id: 7, secret, previous: { secret: lost, until } }, sent, sealing);
    expect(new Webhook(after).verify(sent.body, headers)).toEqual({ id: "evt_1" });
    expect(() => signedHeaders({ id: 7, secret: lost, previous: null }, sent, sealing)).toThrow(
      "unable to authenticate data",
    );
  });
});
