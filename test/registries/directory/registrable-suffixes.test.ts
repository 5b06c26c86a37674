import { describe, expect, it } from 'vitest';
import { parseDomainName, splitName } from '../../../src/domain/names/domain-name.ts';
import { suffixPolicy } from '../../../src/registries/directory/suffix-sources.ts';

const server = 'https://rdap.example/';

/** Returns the policy of a server; `found` contains suffixes with their server. */
function policy({
  entries = [],
  found = new Set(),
}: { entries?: readonly string[]; found?: Set<string> } = {}) {
  const suffixes = suffixPolicy(server, (suffix) => entries.includes(suffix), {
    has: (suffix, baseUrl) => found.has(`${suffix} ${baseUrl}`),
    add: (suffix, baseUrl) => void found.add(`${suffix} ${baseUrl}`),
  });
  return {
    isProof: (name: string) => suffixes.trustsNotFound(splitName(parseDomainName(name))),
    recordFound: (name: string) => suffixes.recordFound(splitName(parseDomainName(name))),
    found,
  };
}

describe('a registry’s "not found"', () => {
  it('is proof directly under a TLD and under suffixes that the registry sells', () => {
    const { isProof } = policy();
    for (const suffix of 'com uk xn--p1ai co.uk org.uk me.uk com.br com.au'.split(' ')) {
      expect(isProof(`free.${suffix}`), suffix).toBe(true);
    }
  });

  it('is proof under an entry of the directory with several labels', () => {
    expect(policy({ entries: ['uk.com'] }).isProof('free.uk.com')).toBe(true);
    expect(policy().isProof('free.uk.com')).toBe(false);
  });

  it('is not proof under a suffix of another organization', () => {
    const { isProof } = policy();
    for (const suffix of [
      'ac.uk',
      'gov.uk',
      'sch.uk',
      'gov.in',
      'gov.br',
      'edu.au',
      'kawasaki.jp',
      'example.co.uk',
    ]) {
      expect(isProof(`free.${suffix}`), suffix).toBe(false);
    }
  });

  it('becomes proof once the registry has found a name under the suffix', () => {
    const { isProof, recordFound, found } = policy();
    recordFound('oxford.ac.uk');
    recordFound('cambridge.ac.uk');
    recordFound('example.com');
    expect(isProof('free.ac.uk')).toBe(true);
    expect(isProof('free.gov.uk')).toBe(false);
    expect([...found]).toEqual([`ac.uk ${server}`]);
  });

  it('is not proof if only another server has found a name there', () => {
    expect(policy({ found: new Set(['ac.uk https://other.example/']) }).isProof('free.ac.uk')).toBe(
      false,
    );
  });
});
