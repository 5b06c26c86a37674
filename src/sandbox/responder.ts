import type { ObjectType } from '../domain/object-ref.ts';
import { faults, type SandboxServices } from './faults.ts';
import { rdap, rdapError, type SandboxResponse } from './responses.ts';
import { findAutnum, isDocumentationAutnum, autnums, autnumSummary } from './autnums.ts';
import { isSandboxHandle, isTestName } from './is-sandbox-object.ts';
import { findNetwork, isDocumentationRange, networks, networkSummary } from './networks.ts';
import { link, response, type SandboxObject, type ObjectBehaviour } from './sandbox-object.ts';
import { registrant, registrar } from './contacts.ts';
import { entityRow, type EntityRow } from './known-entities.ts';
import { nameserver, type Nameserver } from './nameserver.ts';

interface Lookup {
  isSupported(key: string): boolean;
  find(key: string): SandboxObject | undefined;
}

const lookups: Readonly<Record<ObjectType, Lookup>> = {
  ip: { isSupported: isDocumentationRange, find: findNetwork },
  autnum: {
    isSupported: (key) => /^\d{1,10}$/.test(key) && isDocumentationAutnum(Number(key)),
    find: (key) => findAutnum(Number(key)),
  },
  entity: { isSupported: isSandboxHandle, find: findEntity },
  nameserver: { isSupported: isTestName, find: (key) => findNameserver(key.toLowerCase()) },
};

/**
 * Responds to a lookup of an IP network, autonomous system, entity or nameserver (RFC 9082 section
 * 3.1). Returns undefined for other paths.
 */
export function respondToObject(
  url: string,
  services: SandboxServices,
): SandboxResponse | Promise<SandboxResponse> | undefined {
  // The target of redirects is below `transferred`.
  const [, prefix, type, rawKey = ''] =
    /^\/(transferred\/)?(ip|autnum|entity|nameserver)\/([^?]+)$/.exec(url) ?? [];
  if (type === undefined) return undefined;
  const lookup = lookups[type as ObjectType];
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
  const row = behaviour ? { ...personWithoutRole(), handle } : entityRow(handle);
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

function personWithoutRole(): EntityRow {
  const { roles: _role, ...person } = registrant(0);
  return person;
}

/** Returns the nameserver with a lower-case name; undefined if there is none. */
function findNameserver(name: string): SandboxObject | undefined {
  const behaviour = prefixBehaviour(name);
  const host = behaviour
    ? { ...nameserver(2), ldhName: name }
    : [nameserver(1), nameserver(2)].find(({ ldhName }) => ldhName === name);
  return host && { behaviour, body: (services) => nameserverBody(host, services) };
}

function nameserverBody(host: Nameserver, services: SandboxServices) {
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
