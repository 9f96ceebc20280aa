import { expect, it } from "vitest";
import { openSigned, sign } from "#lib/signed-text.ts";

process.env.CURSOR_KEY = "a key of this test";
const scope = ["members", 1, { status: "active" }];

it("a signed text is opened in its scope only", () => {
  const signed = sign(scope, "MEMBER#7");
  expect(openSigned(scope, signed)).toBe("MEMBER#7");
  expect(openSigned(["members", 2, { status: "active" }], signed)).toBeUndefined();
});

it("a signed text of which any one bit was flipped is not opened", () => {
  const bytes = Buffer.from(sign(scope, "MEMBER#7"));
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const altered = Buffer.from(bytes);
    altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect([bit, openSigned(scope, altered.toString("latin1"))]).toEqual([bit, undefined]);
  }
});
