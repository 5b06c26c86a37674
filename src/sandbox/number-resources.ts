import { isIPv4 } from 'node:net';
import { containsNetwork, parseIpNetwork } from '../domain/ip-address.ts';
import { holderMembers } from './contacts.ts';
import table from './network-table.json' with { type: 'json' };
import {
  link,
  response,
  type SandboxServices,
  type ObjectBehaviour,
  type SandboxObject,
} from './responses.ts';

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
export const networks = table as readonly NetworkRow[];

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
  return (
    row &&
    sandboxObject(
      row,
      networkSummary,
      `These addresses are reserved for documentation (${row.reservedBy}).`,
    )
  );
}

/** Returns an IP network without the members of a response, as in the list of an entity. */
export function networkSummary(row: NetworkRow, services: SandboxServices) {
  const [startAddress = '', length] = row.cidr.split('/');
  const version = isIPv4(startAddress) ? 'v4' : 'v6';
  const { handle, name, endAddress, parentHandle } = row;
  const parent = networks.find((network) => network.handle === parentHandle);
  const self = `ip/${row.cidr}`;
  return {
    objectClassName: 'ip network',
    handle,
    startAddress,
    endAddress,
    ipVersion: version,
    name,
    type: parent ? 'ASSIGNED' : 'ALLOCATED',
    country: 'GB',
    ...(parentHandle && { parentHandle }),
    cidr0_cidrs: [{ [`${version}prefix`]: startAddress, length: Number(length) }],
    status: ['active'],
    links: [
      link(services, self),
      ...(parent ? [link(services, self, 'up', `ip/${parent.cidr}`)] : []),
      ...(row.geofeed
        ? [
            {
              ...link(services, self, 'geofeed'),
              href: row.geofeed,
              type: 'application/geofeed+csv',
            },
          ]
        : []),
    ],
  };
}

/** Returns whether a network contains all of `ip`; false if that is not an address or a network. */
function contains(cidr: string, ip: string): boolean {
  const [outer, inner] = [parseIpNetwork(cidr), parseIpNetwork(ip)];
  return outer !== undefined && inner !== undefined && containsNetwork(outer, inner);
}

/** A block of autonomous system numbers. */
interface AutnumRow extends Row {
  readonly start: number;
  readonly end: number;
}

/** The autonomous systems of the sandbox. AS64500 is not allocated. */
export const autnums: readonly AutnumRow[] = [
  { start: 64_496, end: 64_496, holder: 'NETWORKS-SANDBOX' },
  { start: 64_497, end: 64_497, holder: 'EXAMPLE-DNS-SANDBOX' },
  { start: 64_498, end: 64_499, holder: 'NETWORKS-SANDBOX' },
  single(64_501, 'redirect'),
  single(64_502, 'slow'),
  single(64_503, 'busy'),
  single(64_504, 'down'),
  single(64_505, 'html'),
  single(64_506, 'hang'),
  { start: 64_507, end: 64_507, holder: 'R-7-SANDBOX' },
  { start: 64_508, end: 64_511, holder: 'NETWORKS-SANDBOX' },
];

/** Returns whether a number is reserved for documentation (RFC 5398), of those with 16 bits. */
export function isDocumentationAutnum(number: number): boolean {
  return number >= 64_496 && number <= 64_511;
}

/** Returns the block that contains a number; undefined if none does. */
export function findAutnum(number: number): SandboxObject | undefined {
  const row = autnums.find(({ start, end }) => start <= number && number <= end);
  return (
    row &&
    sandboxObject(row, autnumSummary, 'These numbers are reserved for documentation (RFC 5398).')
  );
}

/** Returns an autonomous system without the members of a response, as in the list of an entity. */
export function autnumSummary({ start, end }: AutnumRow, services: SandboxServices) {
  return {
    objectClassName: 'autnum',
    handle: `AS${start}`,
    startAutnum: start,
    endAutnum: end,
    name: `DOCUMENTATION-AS${start}`,
    type: 'ASSIGNED',
    country: 'GB',
    status: ['active'],
    links: [link(services, `autnum/${start}`)],
  };
}

function single(number: number, behaviour: ObjectBehaviour): AutnumRow {
  return { start: number, end: number, holder: 'NETWORKS-SANDBOX', behaviour };
}

interface Row {
  /** The handle of the entity that has the role `registrant`. */
  readonly holder: string;
  readonly behaviour?: ObjectBehaviour;
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
