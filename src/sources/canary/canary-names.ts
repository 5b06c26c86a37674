import { parseDomainName, type DomainName } from '../../domain/domain-name.ts';

/** Names that have been registered for as long as their TLDs have had web sites, for registries that do not hold `nic`. */
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

/** Under an entry that is nearly as long as a name can be, there is no room for one. */
const maxNameLength = 253;

/** Names that the registry of an entry must find, the likeliest first. */
export function canaryNames(entry: string): readonly DomainName[] {
  const labels = ['nic', ...(wellKnownLabels.get(entry) ?? ['google', 'amazon', 'facebook'])];
  return labels
    .map((label) => `${label}.${entry}`)
    .filter((name) => name.length <= maxNameLength)
    .map(parseDomainName);
}

/** Whether the names are certain to be registered, so that a registry that finds none of them has lost its data. */
export function hasWellKnownNames(entry: string): boolean {
  return wellKnownLabels.has(entry);
}
