/** IPv4 blocks outside the public internet (RFC 6890): first address and prefix length in bits. */
const privateBlocks: readonly (readonly [first: string, bits: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
];

/**
 * Whether a URL has no credentials and its host is no private, loopback or IPv6 address. Does not check the addresses that a
 * host name resolves to.
 */
export function isPublicUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  // The parser normalizes all notations of an IPv4 address to four decimal numbers.
  const { username, password, hostname } = new URL(url);
  if (username !== "" || password !== "" || hostname.startsWith("[")) return false;
  const host = hostname.replace(/\.$/, "");
  if (host === "localhost" || host.endsWith(".localhost")) return false;
  return !/^\d+(?:\.\d+){3}$/.test(host) || !privateBlocks.some(([first, bits]) => isWithin(host, first, bits));
}

const isWithin = (address: string, first: string, bits: number): boolean =>
  Math.floor(numberOf(address) / 2 ** (32 - bits)) === Math.floor(numberOf(first) / 2 ** (32 - bits));

const numberOf = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
