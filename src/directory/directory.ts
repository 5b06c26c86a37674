import { parse } from 'tldts';
import type { Directory, Resolution } from '../domain/directory.ts';
import { splitName, type DomainName } from '../domain/domain-name.ts';
import type { Registry } from '../domain/source.ts';
import { Problem } from '../domain/problems.ts';

/** Entries (suffixes) and the registries that answer for the names under them. */
export type Entries = ReadonlyMap<string, Registry>;

/**
 * Finds a name's registry. The name must be exactly one label under an entry, or under a public suffix (ICANN section) below an entry:
 * a registry's "not found" for a name one level too deep, or for a suffix, would read as "free".
 */
export function createDirectory(entries: () => Entries): Directory {
  return { resolve: (name) => resolve(name, entries()) };
}

function resolve(name: DomainName, entries: Entries): Resolution {
  const { suffix } = splitName(name);
  const entry = entryOf(entries, name);
  const registry = entry === undefined ? undefined : entries.get(entry);
  const reason = misplacement(name, suffix, entries, registry !== undefined);
  if (reason) return { problem: new Problem('invalid_name', reason) };
  return registry ? { registry } : { problem: unsupportedTld(suffix) };
}

/** The entry that a name falls under (RFC 9224 section 4): label by label from the right, the longest wins, the root matches everything. */
export function entryOf(entries: Entries, name: DomainName): string | undefined {
  for (let rest = splitName(name).suffix; ; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (entries.has(rest)) return rest;
    if (!rest.includes('.')) return entries.has('') ? '' : undefined;
  }
}

function misplacement(
  name: DomainName,
  suffix: string,
  entries: Entries,
  isServed: boolean,
): string | undefined {
  const { isIcann, publicSuffix } = parse(name, {
    allowPrivateDomains: false,
    extractHostname: false,
    validateHostname: false,
    detectIp: false,
  });
  const icannSuffix = isIcann ? publicSuffix : undefined;
  if (entries.has(name) || icannSuffix === name)
    return `${name} is itself a suffix; names are registered under it.`;
  if (entries.has(suffix) || icannSuffix === suffix || !suffix.includes('.')) return undefined;
  // Of a TLD that neither the list nor the directory knows, nobody can say how deep its names lie.
  if (!isIcann && !isServed) return undefined;
  return `${name} is not one label under a suffix that a registry sells; ask for the registered name itself.`;
}

function unsupportedTld(suffix: string): Problem {
  return new Problem(
    'unsupported_tld',
    `No RDAP server is known for .${suffix}. IANA lists none; whoever runs this gateway can add one with RDAP_OVERRIDES.`,
  );
}
