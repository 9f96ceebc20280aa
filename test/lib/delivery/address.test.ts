import { createSocket, type Socket } from "node:dgram";
import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import {
  AddressRefused,
  addressesOf,
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
    const resolve = async () =>
      (answers[asked++] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    return { resolve, asked: () => asked };
  };
  const looked = (resolve: () => Promise<LookupAddress[]>, all: boolean) =>
    new Promise((done) => {
      checkedLookup(isPublicAddress, resolve)("receiver.example", { all }, (error, found) => done(error ?? found));
    });

  it("a connection uses the checked addresses", async () => {
    const { resolve, asked } = resolver(["8.8.8.8", "2606:4700::1111"], ["127.0.0.1"]);
    expect(await looked(resolve, true)).toEqual([
      { address: "8.8.8.8", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ]);
    expect(asked()).toBe(1);
  });

  it("a name that later resolves to another address is checked again", async () => {
    const { resolve } = resolver(["8.8.8.8"], ["169.254.169.254"]);
    expect(await looked(resolve, false)).toBe("8.8.8.8");
    expect(await looked(resolve, false)).toBeInstanceOf(AddressRefused);
  });

  it("a name is refused even if only one of its addresses is private", async () => {
    expect(await looked(resolver(["8.8.8.8", "10.0.0.1"]).resolve, true)).toBeInstanceOf(AddressRefused);
  });
});

describe("the addresses of a name", () => {
  let server: Socket;
  afterEach(() => void server.close());

  const [typeA, typeAaaa] = [1, 28];
  const [servFail, nameError] = [2, 3];

  /**
   * The header of a response to a question: one question, no authority, and the given response code and number of answers.
   * @see RFC 1035, section 4.1.1
   */
  const headerOf = (question: Buffer, code: number, answers: number) =>
    Buffer.from([...question.subarray(0, 2), 0x81, 0x80 + code, 0, 1, 0, answers, 0, 0, 0, 0]);

  /** A record whose name is that of the question, with a time to live of 0 (RFC 1035, section 4.1.3). */
  const recordOf = (type: number, address: readonly number[]) =>
    Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, address.length, ...address]);

  /** The answer to a question of a type: addresses as bytes, a response code, or none. */
  type Zone = (name: string, type: number) => readonly number[][] | number | undefined;

  /** Asks a DNS server on this machine. */
  async function aResolver(zone: Zone, timeout = 30_000): Promise<Resolver> {
    server = createSocket("udp4", (message, { port, address }) => {
      const nameEnd = message.indexOf(0, 12);
      const name = message.toString("latin1", 13, nameEnd).replaceAll(/\W/g, ".");
      const type = message.readUInt16BE(nameEnd + 1);
      const answer = zone(name, type);
      if (answer === undefined) return;
      const [code, records] = typeof answer === "number" ? [answer, []] : [0, answer];
      const question = message.subarray(12, nameEnd + 5);
      const body = records.map((record) => recordOf(type, record));
      server.send(Buffer.concat([headerOf(message, code, body.length), question, ...body]), port, address);
    });
    server.bind(0, "127.0.0.1");
    await once(server, "listening");
    const resolver = new Resolver({ timeout, tries: 1 });
    resolver.setServers([`127.0.0.1:${server.address().port}`]);
    return resolver;
  }

  const looked = (resolver: Resolver) =>
    new Promise((done) => {
      const resolve = (hostname: string) => addressesOf(hostname, resolver);
      checkedLookup(isPublicAddress, resolve)("receiver.example", { all: true }, (error, found) =>
        done(error ?? found),
      );
    });
  const ipv6 = (first: number) => [first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

  it.each([
    ["has an address", [ipv6(0x26)]],
    ["has none", []],
    ["fails", servFail],
    ["is silent", undefined],
  ])("a name has only its IPv4 addresses if the server %s for IPv6", async (_, answer) => {
    const ipv4 = [
      [8, 8, 8, 8],
      [1, 1, 1, 1],
    ];
    const resolver = await aResolver((__, type) => (type === typeAaaa ? answer : ipv4));
    expect(await looked(resolver)).toEqual([
      { address: "8.8.8.8", family: 4 },
      { address: "1.1.1.1", family: 4 },
    ]);
  });

  it("a name without an IPv4 address has its IPv6 addresses", async () => {
    const resolver = await aResolver((_, type) => (type === typeA ? [] : [ipv6(0x26)]));
    expect(await looked(resolver)).toEqual([{ address: "2600::1", family: 6 }]);
  });

  it("a name is refused if its IPv6 address is private, and it has no other", async () => {
    const resolver = await aResolver((_, type) => (type === typeA ? [] : [ipv6(0xfd)]));
    expect(await looked(resolver)).toBeInstanceOf(AddressRefused);
  });

  it.each([
    ["does not exist", nameError, "ENOTFOUND"],
    ["has a server that fails", servFail, "ESERVFAIL"],
    ["has no addresses", [], "ENODATA"],
  ])("a name that %s has no address", async (_, answer, code) => {
    const resolver = await aResolver(() => answer);
    expect(await looked(resolver)).toMatchObject({ code });
  });

  it("a name whose server is silent has no address after the time limit", async () => {
    const resolver = await aResolver(() => undefined, 200);
    expect(await looked(resolver)).toMatchObject({ code: "ETIMEOUT" });
  });

  it("names of a silent server do not delay lookups of other names or by other parts of the process", async () => {
    const resolver = await aResolver((name, type) => {
      if (name === "silent.example") return undefined;
      return type === typeA ? [[8, 8, 8, 8]] : [];
    });
    let answered = 0;
    const silent = Array.from({ length: 8 }, () =>
      addressesOf("silent.example", resolver).catch(() => (answered += 1)),
    );
    expect(await addressesOf("receiver.example", resolver)).toContainEqual({ address: "8.8.8.8", family: 4 });
    expect(await addressesOf("localhost")).toContainEqual({ address: "127.0.0.1", family: 4 });
    expect((await lookup("localhost", { family: 4 })).address).toBe("127.0.0.1");
    expect(answered).toBe(0);
    resolver.cancel();
    await Promise.all(silent);
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
