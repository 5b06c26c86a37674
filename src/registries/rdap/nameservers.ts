import { isIPv4, isIPv6 } from 'node:net';
import { toHostName } from '../../domain/domain-name.ts';
import type { Json, JsonObject, Nameserver } from '../../domain/registration.ts';
import { asObject, listOf } from './json.ts';
import { asText, asLowerCaseText } from './text.ts';

/**
 * Returns the distinct nameservers of a domain object. Duplicates are merged with all their
 * addresses.
 */
export function readNameservers(nameservers: Json | undefined): readonly Nameserver[] {
  const hosts = new Map<string, Nameserver>();
  for (const entry of listOf(nameservers)) {
    const name = hostName(entry);
    if (name === undefined) continue;
    const addresses = [...addressesOf(hosts.get(name)), ...readIpAddresses(asObject(entry))];
    hosts.set(name, {
      name,
      ipv4: unique(addresses.filter(isIPv4)),
      ipv6: unique(addresses.filter(isIPv6)),
    });
  }
  return [...hosts.values()];
}

/** Returns the host name of a nameserver. Some servers send a plain string, some omit `ldhName`. */
function hostName(entry: Json): string | undefined {
  const host = asObject(entry);
  const rawName =
    asLowerCaseText(entry) ??
    asLowerCaseText(host?.['ldhName']) ??
    asLowerCaseText(host?.['unicodeName']);
  // The registry of .fi appends the result of its check of the nameserver.
  const checked = rawName?.replace(/ \[\w+\]$/, '');
  const name = checked && toALabels(checked).replace(/(?<!\.)\.+$/, '');
  // Any host name is accepted, including `_`, but not a sentence such as "not delegated".
  return name && /^[\w-]+(?:\.[\w-]+)*$/.test(name) ? name : undefined;
}

function toALabels(name: string): string {
  return /^\p{ASCII}*$/u.test(name) ? name : (toHostName(name) ?? name);
}

function readIpAddresses(host: JsonObject | undefined): readonly string[] {
  const addresses = asObject(host?.['ipAddresses']);
  return [...listOf(addresses?.['v4']), ...listOf(addresses?.['v6'])].flatMap(
    (address) => asText(address) ?? [],
  );
}

function addressesOf(host: Nameserver | undefined): readonly string[] {
  return host ? [...host.ipv4, ...host.ipv6] : [];
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
