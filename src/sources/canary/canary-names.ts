import { parseDomainName, type DomainName } from '../../domain/domain-name.ts';

/** Labels of long-established registrations, by TLD, for registries that do not hold `nic`. */
const wellKnownLabels = new Map(
  Object.entries({
    ai: ['google'],
    app: ['google'],
    br: ['registro'],
    ca: ['cira'],
    cc: ['google'],
    com: ['verisign', 'google'],
    cz: ['google'],
    dev: ['google'],
    fi: ['traficom'],
    fr: ['afnic'],
    info: ['google'],
    net: ['verisign', 'google'],
    nl: ['sidn'],
    no: ['norid'],
    org: ['pir', 'icann'],
    pl: ['dns'],
    tv: ['google'],
    uk: ['nominet'],
    xyz: ['gen'],
  }),
);

/** Under a very long entry, a canary name could exceed the maximum length. */
const maxNameLength = 253;

/** Returns names that the registry of an entry should find, most likely first. */
export function canaryNames(entry: string): readonly DomainName[] {
  const labels = ['nic', ...(wellKnownLabels.get(entry) ?? ['google', 'amazon', 'facebook'])];
  return labels
    .map((label) => `${label}.${entry}`)
    .filter((name) => name.length <= maxNameLength)
    .map(parseDomainName);
}

/**
 * Returns whether the entry has canary names that are certainly registered: a registry that finds
 * none of them has lost data.
 */
export function hasWellKnownNames(entry: string): boolean {
  return wellKnownLabels.has(entry);
}
