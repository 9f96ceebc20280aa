import { expect, it } from "vitest";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, aMember } from "../support/given.ts";
import { rawRequests } from "../support/raw.ts";

const api = startApi();
const send = rawRequests(api);

it.each(["application/json", "application/json; charset=utf-8"])(
  "a body of type %s is refused unless it is UTF-8",
  async (type) => {
    const community = await aCommunity(api.table);
    const { id } = await aMember(api.table, community);
    const path = `/odis/v1/communities/${community.id}/members/${id}`;
    const body = Buffer.concat([
      Buffer.from('{"member":{"metadata":{"a":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}}}'),
    ]);
    const answer = await send({ as: admin, method: "PATCH", path, body, headers: { "content-type": type } });
    expect(answer).toMatchObject({ status: 400, code: "malformed_json" });
  },
);
