import { expect, it } from "vitest";
import { sealingWith } from "#lib/delivery/sealing.ts";

const { seal, open } = sealingWith("a key");

it("a sealed text opens for its purpose, and does not show what it is", () => {
  const sealed = seal("whsec_abc", "destination 7");
  expect(open(sealed, "destination 7")).toBe("whsec_abc");
  expect(Buffer.from(sealed, "base64").includes("whsec")).toBe(false);
  expect(seal("whsec_abc", "destination 7")).not.toBe(sealed);
});

it("a sealed text does not open for another purpose, with another key, or altered", () => {
  const sealed = seal("whsec_abc", "destination 7");
  const altered = Buffer.from(sealed, "base64");
  altered.writeUInt8(altered.readUInt8(altered.length - 1) ^ 1, altered.length - 1);
  expect(() => open(sealed, "destination 8")).toThrow("unable to authenticate data");
  expect(() => sealingWith("another key").open(sealed, "destination 7")).toThrow("unable to authenticate data");
  expect(() => open(altered.toString("base64"), "destination 7")).toThrow("unable to authenticate data");
});
