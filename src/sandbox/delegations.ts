import {
  contradictedSuffix,
  dasSuffix,
  dnsSuffix,
  whoisControlName,
  whoisSuffix,
} from './suffixes.ts';

/**
 * What the name server of the sandbox answers: a delegation, NXDOMAIN, SERVFAIL or nothing at all.
 */
export type SandboxDelegation = 'delegated' | 'absent' | 'failure' | 'none';

const zones = [dnsSuffix, dasSuffix, whoisSuffix, contradictedSuffix];

/** Returns the zone of a lower-case name; undefined if the sandbox has none for it. */
export function sandboxZoneOf(name: string): string | undefined {
  return zones.find((zone) => name.endsWith(`.${zone}`));
}

/** Returns the answer for a lower-case name in one of the zones, by the prefix of its label. */
export function delegationOf(name: string): SandboxDelegation {
  // The names of these suffixes are answered by the service of the registry alone.
  if (name.endsWith(`.${dasSuffix}`)) return 'absent';
  if (name.endsWith(`.${whoisSuffix}`)) return name === whoisControlName ? 'delegated' : 'absent';
  if (name.startsWith('taken')) return 'delegated';
  if (name.startsWith('down')) return 'failure';
  return name.startsWith('hang') ? 'none' : 'absent';
}
