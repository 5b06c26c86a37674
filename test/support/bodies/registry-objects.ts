import type { Reply } from './replies.ts';
import { json } from './replies.ts';

/** Returns a 200 with a network (RFC 9083 section 5.4). */
export function network(
  startAddress: string,
  endAddress: string,
  overrides: Readonly<Record<string, unknown>> = {},
): Reply {
  return object('ip network', {
    handle: `NET-${startAddress}`,
    startAddress,
    endAddress,
    ipVersion: startAddress.includes(':') ? 'v6' : 'v4',
    name: 'EXAMPLE-NET',
    type: 'ASSIGNED PA',
    country: 'NL',
    parentHandle: 'NET-PARENT',
    entities: [entityObject('HOLDER-EX', ['registrant'])],
    ...overrides,
  });
}

/** Returns a 200 with a block of autonomous systems (RFC 9083 section 5.5). */
export function autnum(startAutnum: number, endAutnum = startAutnum): Reply {
  return object('autnum', {
    handle: `AS${startAutnum}`,
    startAutnum,
    endAutnum,
    name: 'EXAMPLE-AS',
    type: 'DIRECT ALLOCATION',
    country: 'NL',
  });
}

/** Returns a 200 with an entity (RFC 9083 section 5.1). */
export function entity(handle: string, overrides: Readonly<Record<string, unknown>> = {}): Reply {
  return object('entity', { ...entityObject(handle, []), ...overrides });
}

/** Returns a 200 with a nameserver (RFC 9083 section 5.2). */
export function nameserver(ldhName: string, v4: readonly string[]): Reply {
  return object('nameserver', { handle: `HOST-${ldhName}`, ldhName, ipAddresses: { v4 } });
}

function object(objectClassName: string, members: Readonly<Record<string, unknown>>): Reply {
  return json(200, {
    rdapConformance: ['rdap_level_0'],
    objectClassName,
    status: ['active'],
    events: [{ eventAction: 'registration', eventDate: '2001-02-03T04:05:06Z' }],
    ...members,
  });
}

function entityObject(handle: string, roles: readonly string[]) {
  return {
    objectClassName: 'entity',
    handle,
    roles,
    vcardArray: [
      'vcard',
      [
        ['version', {}, 'text', '4.0'],
        ['fn', {}, 'text', 'Example Holder'],
        ['kind', {}, 'text', 'org'],
      ],
    ],
  };
}
