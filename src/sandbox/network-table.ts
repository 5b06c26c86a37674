import type { ObjectBehaviour } from './sandbox-object.ts';

/** An IP network of the sandbox. */
export interface NetworkRow {
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
  readonly behaviour?: ObjectBehaviour;
}

const ipv6Ones = 'ffff:ffff:ffff:ffff:ffff';

/** The networks of the sandbox. A lookup returns the smallest one that contains all addresses. */
export const networks: readonly NetworkRow[] = [
  {
    handle: 'NET-192-0-2-0-24-SANDBOX',
    cidr: '192.0.2.0/24',
    endAddress: '192.0.2.255',
    name: 'TEST-NET-1',
    reservedBy: 'RFC 5737',
    holder: 'NETWORKS-SANDBOX',
  },
  {
    handle: 'NET-192-0-2-0-26-SANDBOX',
    cidr: '192.0.2.0/26',
    endAddress: '192.0.2.63',
    name: 'EXAMPLE-DNS-1',
    reservedBy: 'RFC 5737',
    holder: 'EXAMPLE-DNS-SANDBOX',
    parentHandle: 'NET-192-0-2-0-24-SANDBOX',
  },
  {
    handle: 'NET-198-51-100-0-24-SANDBOX',
    cidr: '198.51.100.0/24',
    endAddress: '198.51.100.255',
    name: 'TEST-NET-2',
    reservedBy: 'RFC 5737',
    holder: 'NETWORKS-SANDBOX',
  },
  part(32, 'redirect'),
  part(64, 'slow'),
  part(96, 'busy'),
  part(128, 'down'),
  part(160, 'html'),
  part(192, 'hang'),
  { ...part(224), holder: 'R-7-SANDBOX' },
  {
    handle: 'NET6-2001-DB8-32-SANDBOX',
    cidr: '2001:db8::/32',
    endAddress: `2001:db8:ffff:${ipv6Ones}`,
    name: 'DOCUMENTATION-V6',
    reservedBy: 'RFC 3849',
    holder: 'NETWORKS-SANDBOX',
  },
  {
    handle: 'NET6-2001-DB8-1-48-SANDBOX',
    cidr: '2001:db8:1::/48',
    endAddress: `2001:db8:1:${ipv6Ones}`,
    name: 'EXAMPLE-DNS-2',
    reservedBy: 'RFC 3849',
    holder: 'EXAMPLE-DNS-SANDBOX',
    parentHandle: 'NET6-2001-DB8-32-SANDBOX',
  },
];

/** Returns an eighth of 203.0.113.0/24. The first eighth is not allocated. */
function part(start: number, behaviour?: ObjectBehaviour): NetworkRow {
  return {
    handle: `NET-203-0-113-${start}-27-SANDBOX`,
    cidr: `203.0.113.${start}/27`,
    endAddress: `203.0.113.${start + 31}`,
    name: `TEST-NET-3-${start}`,
    reservedBy: 'RFC 5737',
    holder: 'NETWORKS-SANDBOX',
    ...(behaviour && { behaviour }),
  };
}
