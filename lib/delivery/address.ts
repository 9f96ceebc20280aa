import { lookup as resolve } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
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
 * A resolver that refuses names with an address to which connections are not allowed. The connection uses the checked
 * addresses, so that they cannot change after the check.
 */
export const checkedLookup =
  (mayConnect: MayConnect, lookup: typeof resolve = resolve): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), "");
      const refused = addresses.find(({ address }) => !mayConnect(address));
      if (refused) return callback(new AddressRefused(`${hostname} resolves to ${refused.address}`), "");
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
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
