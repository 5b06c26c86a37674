import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isSameName,
  parseDomainName,
  parseLabel,
  parseSuffix,
  toUnicodeName,
} from '../../src/domain/domain-name.ts';
import { Problem } from '../../src/domain/problems.ts';
import { expectDocumentedResponse, fuzzing, rounds, seed, startFuzzedGateway } from './fuzzing.ts';

const pieces = [
  'example', 'com', 'test', 'xn--', 'xn--bcher-kva', 'xn--a', 'xn--99999999', 'xn--ls8h', 'bücher', 'faß', 'ǅ', 'ﬀ', 'пример', '例え', '\u05d0\u05d1', 'a\u0301', '👍🏽',
  '.', '..', '。', '．', '｡', '-', '--', '_', ' ', '\t', '\n', '\0', '\u00ad', '\u200d', '\u202e', '\ufeff', '\ud800',
  '/', '\\', '%', '%2e', '%65', ':', '80', '@', '?', '#', '[', ']', '*', '1', '127', '0x7f', '127.0.0.1', 'a'.repeat(63), 'a'.repeat(64), 'ab.'.repeat(90),
]; // prettier-ignore

const names = fc.oneof(
  fc
    .array(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...pieces) },
        { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 5 }) },
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.domain().map((name) => name.toUpperCase()),
  fc
    .tuple(fc.domain(), fc.string({ unit: 'grapheme', maxLength: 2 }), fc.nat(30))
    .map(([name, odd, at]) => name.slice(0, at) + odd + name.slice(at)),
);

/** What comes of a reading: its result, or nothing for what is no name. Any other failure is a failure of ours. */
function read<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_name') return undefined;
    throw error;
  }
}

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

describe(`names of all kinds (seed ${seed})`, () => {
  it('are refused, or become a host name that is nothing else', () => {
    let accepted = 0;
    fc.assert(
      fc.property(names, (typed) => {
        const name = read(() => parseDomainName(typed));
        if (name === undefined) return;
        accepted += 1;
        expect(name.length).toBeLessThanOrEqual(253);
        expect(name.split('.').length).toBeGreaterThan(1);
        for (const part of name.split('.')) expect(part).toMatch(label);
        // To a URL parser it is a host name and one segment of a path, and no address.
        expect(new URL(`http://${name}/`).hostname).toBe(name);
        expect(new URL(`http://rdap.test/domain/${name}`).pathname).toBe(`/domain/${name}`);
        expect(parseDomainName(name)).toBe(name);
        expect(parseDomainName(toUnicodeName(name))).toBe(name);
        expect(isSameName(typed.trim(), name)).toBe(true);
      }),
      fuzzing(rounds(3000)),
    );
    expect(accepted).toBeGreaterThan(0);
  });

  it('are labels or suffixes only when they are', () => {
    fc.assert(
      fc.property(names, (typed) => {
        const one = read(() => parseLabel(typed));
        if (one !== undefined) expect(one).toMatch(label);
        const suffix = read(() => parseSuffix(typed));
        if (suffix !== undefined) for (const part of suffix.split('.')) expect(part).toMatch(label);
        if (one !== undefined && suffix !== undefined)
          read(() => parseDomainName(`${one}.${suffix}`));
      }),
      fuzzing(rounds(3000)),
    );
  });

  it('never make the gateway fail, at either door', { timeout: 600_000 }, async () => {
    await using gateway = await startFuzzedGateway();
    await fc.assert(
      fc.asyncProperty(names, names, async (typed, tld) => {
        const query = encodeURIComponent(typed.toWellFormed());
        for (const path of [
          `/v1/rdap?domain=${query}`,
          `/v1/status?domain=${query}`,
          `/v1/status?name=${query}&tlds=${encodeURIComponent(tld.toWellFormed())}`,
        ]) {
          const answer = await gateway.fetch(path);
          expectDocumentedResponse(answer.status, await answer.text());
        }
        const operation =
          'query ($name: String!, $tld: String, $all: [String!]) { domain(name: $name, tld: $tld) { status } domains(domains: $all) { domain status } }';
        const answer = await gateway.post('/graphql', {
          query: operation,
          variables: { name: typed, tld, all: [typed, tld] },
        });
        expectDocumentedResponse(answer.status, await answer.text());
      }),
      fuzzing(rounds(100, 0.02)),
    );
    expect(gateway.failures).toEqual([]);
  });
});
