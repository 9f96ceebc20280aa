import type { lookup } from "node:dns";
import { describe, expect, it } from "vitest";
import {
  AddressRefused,
  assertHost,
  checkedLookup,
  isLoopbackAddress,
  isPublicAddress,
} from "#lib/delivery/address.ts";

const refused = {
  "this network": "0.0.0.0",
  "a private network (10)": "10.1.2.3",
  "a private network (172)": "172.16.0.1",
  "the last private network (172)": "172.31.255.255",
  "a private network (192)": "192.168.1.1",
  "shared by providers": "100.64.0.1",
  loopback: "127.0.0.1",
  "another loopback": "127.255.255.254",
  "the metadata service of AWS": "169.254.169.254",
  "the metadata service of ECS": "169.254.170.2",
  "the time service of AWS": "169.254.169.123",
  "protocol assignments": "192.0.0.1",
  documentation: "192.0.2.1",
  "documentation (198)": "198.51.100.7",
  "documentation (203)": "203.0.113.9",
  benchmarks: "198.18.0.1",
  multicast: "224.0.0.1",
  reserved: "240.0.0.1",
  broadcast: "255.255.255.255",
  "IPv6 loopback": "::1",
  "IPv6, none": "::",
  "IPv6 link-local": "fe80::1",
  "IPv6 link-local with a zone": "fe80::1%eth0",
  "IPv6 site-local": "fec0::1",
  "IPv6 unique local": "fd00::1",
  "the IPv6 metadata service of AWS": "fd00:ec2::254",
  "IPv6 multicast": "ff02::1",
  "IPv4-mapped loopback": "::ffff:127.0.0.1",
  "IPv4-mapped metadata": "::ffff:169.254.169.254",
  "IPv4-mapped in hexadecimal": "::ffff:7f00:1",
  "IPv4-compatible loopback": "::127.0.0.1",
  "IPv4-translated": "::ffff:0:127.0.0.1",
  "NAT64 of a private address": "64:ff9b::10.0.0.1",
  "local NAT64": "64:ff9b:1::10.0.0.1",
  "6to4 of a private address": "2002:0a00:0001::1",
  Teredo: "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "IPv6 documentation": "2001:db8::1",
  "IPv6 benchmarks": "2001:2::1",
  "IPv6 discard": "100::1",
  "no address": "example.com",
};

it.each(Object.entries(refused))("an address is not public: %s", (_, address) =>
  expect(isPublicAddress(address)).toBe(false),
);

it.each(["1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8"])(
  "%s is a public address",
  (address) => expect(isPublicAddress(address)).toBe(true),
);

it.each(["127.0.0.1", "::1", "::ffff:127.0.0.1"])("%s is a loopback address", (address) =>
  expect(isLoopbackAddress(address)).toBe(true),
);

describe("the check of a name", () => {
  /** A resolver that returns these results in turn. */
  const resolver = (...answers: string[][]) => {
    let asked = 0;
    const resolve = (_: string, __: object, callback: (error: null, found: object[]) => void) =>
      callback(
        null,
        (answers[asked++] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    return { lookup: resolve as unknown as typeof lookup, asked: () => asked };
  };
  const looked = (resolve: typeof lookup, all: boolean) =>
    new Promise((done) => {
      checkedLookup(isPublicAddress, resolve)("receiver.example", { all }, (error, found) => done(error ?? found));
    });

  it("a connection uses the checked addresses", async () => {
    const { lookup: resolve, asked } = resolver(["8.8.8.8", "2606:4700::1111"], ["127.0.0.1"]);
    expect(await looked(resolve, true)).toEqual([
      { address: "8.8.8.8", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ]);
    expect(asked()).toBe(1);
  });

  it("a name that later resolves to another address is checked again", async () => {
    const { lookup: resolve } = resolver(["8.8.8.8"], ["169.254.169.254"]);
    expect(await looked(resolve, false)).toBe("8.8.8.8");
    expect(await looked(resolve, false)).toBeInstanceOf(AddressRefused);
  });

  it("a name is refused even if only one of its addresses is private", async () => {
    expect(await looked(resolver(["8.8.8.8", "10.0.0.1"]).lookup, true)).toBeInstanceOf(AddressRefused);
  });
});

it.each(["127.0.0.1", "[::1]", "[::ffff:7f00:1]", "169.254.169.254"])("the host %s is refused", (host) => {
  expect(() => assertHost(host, isPublicAddress)).toThrow(AddressRefused);
});

it.each(["https://2130706433/", "https://0x7f.1/", "https://017700000001/", "https://127.1/"])(
  "the notation %s of a loopback address is refused",
  (given) => {
    expect(() => assertHost(new URL(given).hostname, isPublicAddress)).toThrow(AddressRefused);
  },
);
