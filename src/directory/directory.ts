import { parse } from 'tldts';
import type { Directory, Place } from '../domain/directory.ts';
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
  return { find: (name) => placeOf(name, entries()) };
}

function placeOf(name: DomainName, known: Entries): Place {
  const { suffix } = splitName(name);
  const entry = entryOf(known, name);
  const registry = entry === undefined ? undefined : known.get(entry);
  const misplaced = misplacement(name, suffix, known, registry !== undefined);
  if (misplaced) return { problem: new Problem('invalid_name', misplaced) };
  return registry ? { registry } : { problem: unsupported(suffix) };
}

/** The entry that a name falls under (RFC 9224 section 4): label by label from the right, the longest wins, the root matches everything. */
export function entryOf(known: Entries, name: DomainName): string | undefined {
  for (let rest = splitName(name).suffix; ; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (known.has(rest)) return rest;
    if (!rest.includes('.')) return known.has('') ? '' : undefined;
  }
}

function misplacement(
  name: DomainName,
  suffix: string,
  known: Entries,
  served: boolean,
): string | undefined {
  const { isIcann, publicSuffix } = parse(name, {
    allowPrivateDomains: false,
    extractHostname: false,
    validateHostname: false,
    detectIp: false,
  });
  const icannSuffix = isIcann ? publicSuffix : undefined;
  if (known.has(name) || icannSuffix === name)
    return `${name} is itself a suffix; names are registered under it.`;
  if (known.has(suffix) || icannSuffix === suffix || !suffix.includes('.')) return undefined;
  // Of a TLD that neither the list nor the directory knows, nobody can say how deep its names lie.
  if (!isIcann && !served) return undefined;
  return `${name} is not one label under a suffix that a registry sells; ask for the registered name itself.`;
}

function unsupported(suffix: string): Problem {
  return new Problem(
    'unsupported_tld',
    `No RDAP server is known for .${suffix}. IANA lists none; whoever runs this gateway can add one with RDAP_OVERRIDES.`,
  );
}
