import { type LookupAddress, NODATA } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";
import ipaddr from "ipaddr.js";

/** Connections to the address of a receiver are not allowed. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

/** The only IPv6 addresses that are routed in the public internet (RFC 4291, section 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an IP address belongs to the public internet: it is in none of the blocks of IANA's registries of special
 * addresses (RFC 6890), such as private networks, loopback and metadata services, nor does it embed an IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(globalUnicast);
}

/** Whether an IP address is a loopback address. */
export const isLoopbackAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";

/** Whether connections to an IP address are allowed. */
export type MayConnect = (address: string) => boolean;

/**
 * The IPv4 addresses of a host name, or its IPv6 addresses if it has none. Functions outside a VPC reach only IPv4
 * (https://aws.amazon.com/blogs/compute/aws-lambda-networking-over-ipv6), and among several addresses, Node.js gives up each but the
 * last after a fraction of a second.
 *
 * Asks DNS itself, because `lookup` occupies one of the process's four threads until a DNS server answers, even after the attempt
 * has ended: names of silent servers would stop the deliveries to all others.
 *
 * @throws Error if it has no address, or no server answers each question within about six seconds
 */
export async function addressesOf(
  hostname: string,
  resolver = new Resolver({ timeout: 2000, tries: 2 }),
): Promise<LookupAddress[]> {
  // Receivers of the local stack. DNS does not know this name.
  if (hostname === "localhost") return lookup(hostname, { all: true });
  try {
    return (await resolver.resolve4(hostname)).map((address) => ({ address, family: 4 }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== NODATA) throw error;
    return (await resolver.resolve6(hostname)).map((address) => ({ address, family: 6 }));
  }
}

/**
 * A resolver that refuses names with an address to which connections are not allowed. The connection uses the checked
 * addresses, so that they cannot change after the check.
 */
export const checkedLookup =
  (mayConnect: MayConnect, resolve: (hostname: string) => Promise<LookupAddress[]> = addressesOf): LookupFunction =>
  (hostname, { all }, callback) => {
    callbackify(resolve)(hostname, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), "");
      const refused = addresses.find(({ address }) => !mayConnect(address));
      if (refused) return callback(new AddressRefused(`${hostname} resolves to ${refused.address}`), "");
      return all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };

/**
 * Checks a host that is an IP address, which is not resolved.
 *
 * @throws AddressRefused
 */
export function assertHost(hostname: string, mayConnect: MayConnect): void {
  const address = hostname.replace(/^\[|\]$/g, "");
  if (isIP(address) !== 0 && !mayConnect(address)) throw new AddressRefused(`${hostname} must not be connected to`);
}
