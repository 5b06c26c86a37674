import type { ObjectType } from '../domain/object-ref.ts';
import { faults, type SandboxServices } from './faults.ts';
import { rdap, rdapError, type SandboxResponse } from './responses.ts';
import { findAutnum, isDocumentationAutnum } from './autnums.ts';
import { findEntity } from './entities.ts';
import { isSandboxHandle, isTestName } from './is-sandbox-object.ts';
import { findNameserver } from './nameservers.ts';
import { findNetwork, isDocumentationRange } from './networks.ts';
import type { SandboxObject } from './sandbox-object.ts';

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
