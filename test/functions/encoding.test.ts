import { beforeAll, describe, expect, it } from "vitest";
import { admin, readAnswer, startApi } from "../support/api.ts";
import { aCommunity, aMember } from "../support/given.ts";

const api = startApi();

let path: string;
let bearer: { authorization: string };
beforeAll(async () => {
  const community = await aCommunity(api.table);
  const { id } = await aMember(api.table, community);
  path = `/odis/v1/communities/${community.id}/members/${id}`;
  bearer = { authorization: `Bearer ${await api.tokenOf(admin)}` };
});

describe("a body", () => {
  it.each(["application/json", "application/json; charset=utf-8"])(
    "a body of type %s is refused unless it is UTF-8",
    async (type) => {
      const body = Buffer.concat([
        Buffer.from('{"member":{"metadata":{"a":"'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}}}'),
      ]);
      const response = await api.send(path, { method: "PATCH", headers: { ...bearer, "content-type": type }, body });
      expect(await readAnswer(response)).toMatchObject({ status: 400, body: { code: "malformed_json" } });
    },
  );

  it("a webhook body that is not UTF-8 has no valid signature", async () => {
    const headers = { "content-type": "application/json", "stripe-signature": "t=1,v1=aa" };
    const response = await api.send("/webhooks/stripe", { method: "POST", headers, body: Buffer.from([0xff, 0xc2]) });
    expect(await readAnswer(response)).toMatchObject({ status: 400, body: { code: "invalid_signature" } });
  });
});
