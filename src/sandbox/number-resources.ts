import { isIPv4 } from 'node:net';
import { containsNetwork, parseIpBlock } from '../domain/names/ip-address.ts';
import { filled } from '../shared/template.ts';
import { holderMembers } from './contacts.ts';
import table from './numbers.json' with { type: 'json' };
import {
  link,
  response,
  type SandboxServices,
  type ObjectBehaviour,
  type SandboxObject,
} from './responses.ts';

interface Row {
  /** The handle of the entity that has the role `registrant`. */
  readonly holder: string;
  readonly behaviour?: ObjectBehaviour;
}

/** An IP network of the sandbox. */
interface NetworkRow extends Row {
  readonly handle: string;
  /** In CIDR notation. */
  readonly cidr: string;
  readonly endAddress: string;
  readonly name: string;
  /** The standard that reserves the addresses. */
  readonly reservedBy: string;
  readonly parentHandle?: string;
  /** The URL of the locations of its addresses (RFC 9877). */
  readonly geofeed?: string;
}

/** The networks of the sandbox. A lookup returns the smallest one that contains all addresses. */
export const networks = table.networks as readonly NetworkRow[];

const documentationRanges = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32'];

/** Returns whether an address, or a network in CIDR notation, is within a documentation range. */
export function isDocumentationRange(ip: string): boolean {
  return documentationRanges.some((range) => contains(range, ip));
}

/** Returns the smallest network that contains an address or network; undefined if none does. */
export function findNetwork(ip: string): SandboxObject | undefined {
  const [row] = networks
    .filter(({ cidr }) => contains(cidr, ip))
    .toSorted((one, other) => (contains(one.cidr, other.cidr) ? 1 : -1));
  const reserved = `These addresses are reserved for documentation (${row?.reservedBy}).`;
  return row && sandboxObject(row, networkSummary, reserved);
}

/** Returns an IP network without the members of a response, as in the list of an entity. */
export function networkSummary(row: NetworkRow, services: SandboxServices): object {
  const [startAddress = '', length] = row.cidr.split('/');
  const version = isIPv4(startAddress) ? 'v4' : 'v6';
  const parent = networks.find((network) => network.handle === row.parentHandle);
  const self = `ip/${row.cidr}`;
  const geofeed = { href: row.geofeed, type: 'application/geofeed+csv' };

  return filled(table.network, {
    ...row,
    startAddress,
    version,
    [`${version}prefix`]: startAddress,
    length: Number(length),
    type: parent ? 'ASSIGNED' : 'ALLOCATED',
    self: link(services, self),
    up: parent && link(services, self, 'up', `ip/${parent.cidr}`),
    geofeedLink: row.geofeed && { ...link(services, self, 'geofeed'), ...geofeed },
  });
}

/** Returns whether a network contains all of `ip`; false if that is not an address or a network. */
function contains(cidr: string, ip: string): boolean {
  const [outer, inner] = [parseIpBlock(cidr), parseIpBlock(ip)];
  return outer !== undefined && inner !== undefined && containsNetwork(outer, inner);
}

/** A block of autonomous system numbers. */
interface AutnumRow extends Row {
  readonly start: number;
  readonly end: number;
}

/** The autonomous systems of the sandbox. AS64500 is not allocated. */
export const autnums = table.autnums as readonly AutnumRow[];

/** Returns whether a number is reserved for documentation (RFC 5398), of those with 16 bits. */
export function isDocumentationAutnum(number: number): boolean {
  return number >= 64_496 && number <= 64_511;
}

/** Returns the block that contains a number; undefined if none does. */
export function findAutnum(number: number): SandboxObject | undefined {
  const row = autnums.find(({ start, end }) => start <= number && number <= end);
  const reserved = 'These numbers are reserved for documentation (RFC 5398).';
  return row && sandboxObject(row, autnumSummary, reserved);
}

/** Returns an autonomous system without the members of a response, as in the list of an entity. */
export function autnumSummary(row: AutnumRow, services: SandboxServices): object {
  return filled(table.autnum, { ...row, self: link(services, `autnum/${row.start}`) });
}

/** Returns the object of a row, with its holder and a remark. */
function sandboxObject<T extends Row>(
  row: T,
  summary: (row: T, services: SandboxServices) => object,
  reserved: string,
): SandboxObject {
  const members = {
    ...holderMembers(row.holder),
    remarks: [{ title: 'Documentation range', description: [reserved] }],
  };
  return {
    behaviour: row.behaviour,
    body: (services) => response({ ...summary(row, services), ...members }, services),
  };
}
