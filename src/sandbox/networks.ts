import { isIPv4 } from 'node:net';
import { containsNetwork, parseIpNetwork } from '../domain/ip-network.ts';
import type { SandboxServices } from './faults.ts';
import { holderMembers } from './known-entities.ts';
import table from './network-table.json' with { type: 'json' };
import { link, response, type ObjectBehaviour, type SandboxObject } from './sandbox-object.ts';

/** An IP network of the sandbox. */
interface NetworkRow {
  readonly handle: string;
  /** In CIDR notation. */
  readonly cidr: string;
  readonly endAddress: string;
  readonly name: string;
  /** The standard that reserves the addresses. */
  readonly reservedBy: string;
  /** The handle of the entity that has the role `registrant`. */
  readonly holder: string;
  readonly parentHandle?: string;
  /** The URL of the locations of its addresses (RFC 9877). */
  readonly geofeed?: string;
  readonly behaviour?: ObjectBehaviour;
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
  return row && { behaviour: row.behaviour, body: (services) => networkBody(row, services) };
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

function networkBody(row: NetworkRow, services: SandboxServices) {
  const reserved = `These addresses are reserved for documentation (${row.reservedBy}).`;
  return response(
    {
      ...networkSummary(row, services),
      ...holderMembers(row.holder),
      remarks: [{ title: 'Documentation range', description: [reserved] }],
    },
    services,
  );
}

/** Returns whether a network contains all of `ip`; false if that is not an address or a network. */
function contains(cidr: string, ip: string): boolean {
  const [outer, inner] = [parseIpNetwork(cidr), parseIpNetwork(ip)];
  return outer !== undefined && inner !== undefined && containsNetwork(outer, inner);
}
