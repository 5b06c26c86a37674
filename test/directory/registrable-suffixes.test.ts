import { describe, expect, it } from 'vitest';
import { parseDomainName } from '../../src/domain/domain-name.ts';
import { suffixPolicy } from '../../src/directory/registrable-suffixes.ts';

const server = 'https://rdap.example/';

/** Found suffixes, each with its server. */
function policy({
  entries = [],
  found = new Set(),
}: { entries?: readonly string[]; found?: Set<string> } = {}) {
  const { trustsNotFound, recordFound } = suffixPolicy(
    server,
    (suffix) => entries.includes(suffix),
    {
      has: (suffix, baseUrl) => found.has(`${suffix} ${baseUrl}`),
      add: (suffix, baseUrl) => void found.add(`${suffix} ${baseUrl}`),
    },
  );
  return {
    counts: (name: string) => trustsNotFound(parseDomainName(name)),
    learn: (name: string) => recordFound(parseDomainName(name)),
    found,
  };
}

describe('a registry’s "not found"', () => {
  it('is proof right under a TLD, and under suffixes that the registry sells', () => {
    const { counts } = policy();
    for (const suffix of [
      'com',
      'uk',
      'xn--p1ai',
      'co.uk',
      'org.uk',
      'me.uk',
      'com.br',
      'com.au',
    ]) {
      expect(counts(`free.${suffix}`), suffix).toBe(true);
    }
  });

  it('is proof under an entry of the directory, however many labels it has', () => {
    expect(policy({ entries: ['uk.com'] }).counts('free.uk.com')).toBe(true);
    expect(policy().counts('free.uk.com')).toBe(false);
  });

  it('is no proof under a suffix that somebody else keeps', () => {
    const { counts } = policy();
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
      expect(counts(`free.${suffix}`), suffix).toBe(false);
    }
  });

  it('becomes proof once the registry has found a name under the suffix', () => {
    const { counts, learn, found } = policy();
    learn('oxford.ac.uk');
    learn('cambridge.ac.uk');
    learn('example.com');
    expect([counts('free.ac.uk'), counts('free.gov.uk'), [...found]]).toEqual([
      true,
      false,
      [`ac.uk ${server}`],
    ]);
  });

  it('is no proof because another server has found a name there', () => {
    expect(policy({ found: new Set(['ac.uk https://other.example/']) }).counts('free.ac.uk')).toBe(
      false,
    );
  });
});
