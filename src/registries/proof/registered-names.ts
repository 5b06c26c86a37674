import { parseDomainName, tldOf, type DomainName } from '../../domain/domain-name.ts';
import lines from './registered-names.json' with { type: 'json' };

/**
 * Names in TLDs for which IANA lists no RDAP server, for each TLD the most certain one first. They
 * are registered according to WHOIS answers of 2015 to 2026, or are in lists of visited sites.
 * `nic.cn` and `nic.kr` are absent, because they are reserved.
 */
const names = lines.flatMap((line) => line.split(' '));

const namesByTld = Map.groupBy(names, tldOf);

/** Returns names under a suffix that are very probably registered. */
export function registeredNames(suffix: string): readonly DomainName[] {
  const found = namesByTld.get(tldOf(suffix)) ?? [];
  return found.filter((name) => name.endsWith(`.${suffix}`)).map(parseDomainName);
}
