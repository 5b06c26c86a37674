import { describe, expect, it } from 'vitest';
import { parseDomainName } from '../../src/domain/domain-name.ts';
import { suffixTrust } from '../../src/registries/sold-suffixes.ts';

function trust({ entries = [], known = [] }: { entries?: readonly string[]; known?: readonly string[] } = {}) {
  const learned: string[] = [];
  const { absenceCounts, learn } = suffixTrust(
    'https://rdap.example/',
    (suffix) => entries.includes(suffix),
    new Set(known),
    (suffix) => void learned.push(suffix),
  );
  return {
    counts: (name: string) => absenceCounts(parseDomainName(name)),
    learn: (name: string) => learn(parseDomainName(name)),
    learned,
  };
}

describe('a registry’s "not found"', () => {
  it('is proof right under a TLD, and under suffixes that the registry sells', () => {
    const { counts } = trust();
    for (const suffix of ['com', 'uk', 'xn--p1ai', 'co.uk', 'org.uk', 'me.uk', 'com.br', 'com.au']) {
      expect(counts(`free.${suffix}`), suffix).toBe(true);
    }
  });

  it('is proof under an entry of the directory, however many labels it has', () => {
    expect(trust({ entries: ['uk.com'] }).counts('free.uk.com')).toBe(true);
    expect(trust().counts('free.uk.com')).toBe(false);
  });

  it('is no proof under a suffix that somebody else keeps', () => {
    const { counts } = trust();
    for (const suffix of ['ac.uk', 'gov.uk', 'sch.uk', 'gov.in', 'gov.br', 'edu.au', 'kawasaki.jp', 'example.co.uk']) {
      expect(counts(`free.${suffix}`), suffix).toBe(false);
    }
  });

  it('becomes proof once the registry has found a name under the suffix, which is noted once', () => {
    const { counts, learn, learned } = trust();
    learn('oxford.ac.uk');
    learn('cambridge.ac.uk');
    learn('example.com');
    expect([counts('free.ac.uk'), counts('free.gov.uk'), learned]).toEqual([true, false, ['ac.uk https://rdap.example/']]);
  });

  it('stays proof where that was noted before', () => {
    const { counts, learn, learned } = trust({ known: ['ac.uk https://rdap.example/'] });
    learn('oxford.ac.uk');
    expect([counts('free.ac.uk'), learned]).toEqual([true, []]);
  });

  it('is no proof because another server has found a name there', () => {
    expect(trust({ known: ['ac.uk https://other.example/'] }).counts('free.ac.uk')).toBe(false);
  });
});
