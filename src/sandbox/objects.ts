import type { ObjectType, ObjectRef } from '../domain/object-ref.ts';
import {
  findAutnum,
  isDocumentationAutnum,
  autnums,
  autnumSummary,
  findNetwork,
  isDocumentationRange,
  networks,
  networkSummary,
} from './number-resources.ts';
import { registrant, registrar, entityRow, type EntityRow, holderMembers } from './contacts.ts';
import {
  faults,
  rdap,
  rdapError,
  link,
  response,
  type SandboxServices,
  type SandboxResponse,
  type SandboxObject,
  type ObjectBehaviour,
} from './responses.ts';
import { nameservers } from './registration.ts';
import { formatIpBlock } from '../domain/names/ip-address.ts';
import { parseReverseZone } from '../domain/names/reverse-zone.ts';

interface ObjectTable {
  isSupported(key: string): boolean;
  find(key: string): SandboxObject | undefined;
}

const lookups: Readonly<Record<ObjectType, ObjectTable>> = {
  ip: { isSupported: isDocumentationRange, find: findNetwork },
  autnum: {
    isSupported: (key) => /^\d{1,10}$/.test(key) && isDocumentationAutnum(Number(key)),
    find: (key) => findAutnum(Number(key)),
  },
  entity: { isSupported: isSandboxHandle, find: findEntity },
  nameserver: { isSupported: isTestName, find: (key) => findNameserver(key.toLowerCase()) },
  reverse_zone: { isSupported: isDocumentationZone, find: findZone },
};

/**
 * Responds to a lookup of an IP network, autonomous system, entity, nameserver or reverse zone
 * (RFC 9082 section 3.1). Returns undefined for other paths.
 */
export function respondToObject(
  url: string,
  services: SandboxServices,
): SandboxResponse | Promise<SandboxResponse> | undefined {
  // The target of redirects is below `transferred`.
  const [, prefix, type, rawKey = ''] =
    /^\/(transferred\/)?(ip|autnum|entity|nameserver|domain)\/([^?]+)$/.exec(url) ?? [];
  if (type === undefined) return undefined;

  const lookup = lookups[type === 'domain' ? 'reverse_zone' : (type as ObjectType)];
  const key = decode(rawKey);

  // A 404 would mean that there is no such object, so other objects are a 400.
  if (key === undefined || !lookup.isSupported(key))
    return rdapError(400, 'Bad Request', 'Only objects of the sandbox are supported.');

  const object = lookup.find(key);
  if (!object) return rdapError(404, 'Not Found', 'No such object.');

  const path = `${type}/${rawKey}`;
  const respond = () => rdap(200, object.body(services));
  if (object.behaviour === undefined) return respond();
  if (object.behaviour !== 'redirect') return faults[object.behaviour](path, services, respond);

  return prefix === undefined ? redirect(`${services.baseUrl}transferred/${path}`) : respond();
}

function redirect(location: string): SandboxResponse {
  return { status: 302, body: '', headers: { location } };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // not percent-encoded UTF-8
  }
}

/** Returns the entity with a handle in any case; undefined if there is none. */
function findEntity(rawHandle: string): SandboxObject | undefined {
  const handle = rawHandle.toUpperCase();
  const behaviour = prefixBehaviour(handle);
  const row = behaviour ? { ...registrant(0), handle } : entityRow(handle);
  return row && { behaviour, body: (services) => entityBody(row, services) };
}

function entityBody(row: EntityRow, services: SandboxServices) {
  const isHeld = ({ holder }: { holder: string }) => holder === row.handle;
  const held = {
    networks: networks.filter(isHeld).map((network) => networkSummary(network, services)),
    autnums: autnums.filter(isHeld).map((autnum) => autnumSummary(autnum, services)),
  };

  return response(
    {
      ...row,
      status: ['active'],
      ...(held.networks.length > 0 && { networks: held.networks }),
      ...(held.autnums.length > 0 && { autnums: held.autnums }),
      links: [link(services, `entity/${row.handle}`)],
    },
    services,
  );
}

/** Returns the nameserver with a lower-case name; undefined if there is none. */
function findNameserver(name: string): SandboxObject | undefined {
  const behaviour = prefixBehaviour(name);
  const host = behaviour
    ? { ...nameservers[1], ldhName: name }
    : nameservers.find(({ ldhName }) => ldhName === name);
  return host && { behaviour, body: (services) => nameserverBody(host, services) };
}

function nameserverBody(host: { readonly ldhName: string }, services: SandboxServices) {
  const handle = `${host.ldhName.toUpperCase()}-SANDBOX`;
  return response(
    {
      ...host,
      handle,
      entities: [registrar],
      links: [link(services, `nameserver/${host.ldhName}`)],
    },
    services,
  );
}

const prefixes: readonly ObjectBehaviour[] = ['redirect', 'slow', 'busy', 'down', 'html', 'hang'];

/** Returns the behaviour that the start of a handle or host name selects, in any case. */
function prefixBehaviour(text: string): ObjectBehaviour | undefined {
  return prefixes.find((prefix) => text.toLowerCase().startsWith(prefix));
}

/**
 * Returns whether an object is looked up in the sandbox: addresses and numbers reserved for
 * documentation (RFC 5737, RFC 3849, RFC 5398), their reverse zones, handles that end with `-SANDBOX` in any case, and
 * nameservers under `.test`. Of a handle at a server, the server decides: it is `sandboxUrl`
 * in the sandbox, and any other registry may send such a handle, too.
 */
export function isSandboxObject(ref: ObjectRef, sandboxUrl?: string): boolean {
  switch (ref.type) {
    case 'ip':
      return isDocumentationRange(ref.ip) && (ref.baseUrl ?? sandboxUrl) === sandboxUrl;
    case 'autnum':
      return isDocumentationAutnum(ref.number);
    case 'entity':
      return ref.baseUrl === undefined ? isSandboxHandle(ref.handle) : ref.baseUrl === sandboxUrl;
    case 'nameserver':
      return isTestName(ref.name);
    case 'reverse_zone':
      return isDocumentationZone(ref.name);
  }
}

/** Returns whether a handle ends with `-SANDBOX`, in any case. */
function isSandboxHandle(handle: string): boolean {
  return /.-SANDBOX$/i.test(handle);
}

/** Returns whether a name is an A-label name under `.test`, in any case. */
export function isTestName(name: string): boolean {
  return /^(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+test$/i.test(name);
}

/** The reverse zones of the sandbox, with the handles of their networks. */
const zones: ReadonlyMap<string, string> = new Map([
  ['2.0.192.in-addr.arpa', 'NET-192-0-2-0-24-SANDBOX'],
  ['0/26.2.0.192.in-addr.arpa', 'NET-192-0-2-0-26-SANDBOX'],
  ['100.51.198.in-addr.arpa', 'NET-198-51-100-0-24-SANDBOX'],
]);

/** Returns whether a name is a reverse zone of addresses that are reserved for documentation. */
function isDocumentationZone(name: string): boolean {
  const zone = parseReverseZone(name);
  return zone !== undefined && isDocumentationRange(formatIpBlock(zone.network));
}

/** Returns the zone with a name; undefined if there is none. */
function findZone(text: string): SandboxObject | undefined {
  const name = parseReverseZone(text)?.name ?? '';
  const network = networks.find(({ handle }) => handle === zones.get(name));

  return (
    network && {
      body: (services) =>
        response(
          {
            objectClassName: 'domain',
            handle: `${name.toUpperCase()}-SANDBOX`,
            ldhName: name,
            nameservers,
            secureDNS: { delegationSigned: false },
            network: networkSummary(network, services),
            status: ['active'],
            ...holderMembers(network.holder),
            links: [link(services, `domain/${encodeURIComponent(name)}`)],
          },
          services,
        ),
    }
  );
}
