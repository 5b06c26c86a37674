import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isSameName,
  parseDomainName,
  parseLabel,
  parseSuffix,
  toUnicodeName,
} from '../../src/domain/names/domain-name.ts';
import { Problem } from '../../src/domain/problems.ts';
import {
  expectDocumentedResponse,
  fastCheckOptions,
  rounds,
  seed,
  startFuzzedGateway,
} from './fuzzing.ts';

const parts = [
  'example', 'com', 'test', 'xn--', 'xn--bcher-kva', 'xn--a', 'xn--99999999', 'xn--ls8h', 'bücher', 'faß', 'ǅ', 'ﬀ', 'пример', '例え', '\u05d0\u05d1', 'a\u0301', '👍🏽',
  '.', '..', '。', '．', '｡', '-', '--', '_', ' ', '\t', '\n', '\0', '\u00ad', '\u200d', '\u202e', '\ufeff', '\ud800',
  '/', '\\', '%', '%2e', '%65', ':', '80', '@', '?', '#', '[', ']', '*', '1', '127', '0x7f', '127.0.0.1', 'a'.repeat(63), 'a'.repeat(64), 'ab.'.repeat(90),
]; // prettier-ignore

const names = fc.oneof(
  fc
    .array(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...parts) },
        { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 5 }) },
      ),
      { maxLength: 8 },
    )
    .map((chosen) => chosen.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.domain().map((name) => name.toUpperCase()),
  fc
    .tuple(fc.domain(), fc.string({ unit: 'grapheme', maxLength: 2 }), fc.nat(30))
    .map(([name, odd, at]) => name.slice(0, at) + odd + name.slice(at)),
);

/** Returns the result of `parse`, or undefined for `invalid_name`. Rethrows any other error. */
function parseOrUndefined<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_name') return undefined;
    throw error;
  }
}

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

describe(`random names (seed ${seed})`, () => {
  it('are rejected, or parsed to an unambiguous host name', () => {
    let accepted = 0;
    fc.assert(
      fc.property(names, (input) => {
        const name = parseOrUndefined(() => parseDomainName(input));
        if (name === undefined) return;
        accepted += 1;
        expect(name.length).toBeLessThanOrEqual(253);
        expect(name.split('.').length).toBeGreaterThan(1);
        for (const part of name.split('.')) expect(part).toMatch(label);
        // A URL parser reads it as a host name (not an address) and as one path segment.
        expect(new URL(`http://${name}/`).hostname).toBe(name);
        expect(new URL(`http://rdap.test/domain/${name}`).pathname).toBe(`/domain/${name}`);
        expect(parseDomainName(name)).toBe(name);
        // The Unicode form of an A-label as sent may contain characters that are not accepted.
        expect(isSameName(toUnicodeName(name), name)).toBe(true);
        expect(isSameName(input.trim(), name)).toBe(true);
      }),
      fastCheckOptions(rounds(3000)),
    );
    expect(accepted).toBeGreaterThan(0);
  });

  it('contain only characters that IDNA 2008 allows, unless they were sent as A-labels', () => {
    const odd = fc.constantFrom(...'‐‑–—−’“”´·・͵׳١۲☃💩√†ßςⓂ™²ﬁ\u00ad\u200b\u00a0éпあא');
    const text = fc
      .array(fc.oneof(odd, fc.constantFrom(...'al09-.')), { minLength: 1, maxLength: 12 })
      .map((characters) => characters.join(''));
    fc.assert(
      fc.property(text, fc.constantFrom('com', 'test', 'la', 'xn--90a3ac'), (typed, tld) => {
        const name = parseOrUndefined(() => parseDomainName(`${typed}.${tld}`));
        if (name === undefined) return;
        const unicode = toUnicodeName(name);
        // Symbols and punctuation, but for the hyphen, the dot, and the marks with rules of their own.
        const symbols = /(?![-.·͵׳・])[\p{P}\p{S}\p{Z}\p{C}]/u;
        expect(
          unicode.replaceAll(tld === 'com' || tld === 'test' ? '' : /\p{Emoji}/gu, ''),
        ).not.toMatch(symbols);
        expect(unicode.replaceAll(/l·(?=l)/g, '')).not.toContain('·');
      }),
      fastCheckOptions(rounds(3000)),
    );
  });

  it('are parsed as labels or suffixes only if they are valid', () => {
    fc.assert(
      fc.property(names, (input) => {
        const parsedLabel = parseOrUndefined(() => parseLabel(input));
        if (parsedLabel !== undefined) expect(parsedLabel).toMatch(label);
        const suffix = parseOrUndefined(() => parseSuffix(input));
        if (suffix !== undefined) for (const part of suffix.split('.')) expect(part).toMatch(label);
        if (parsedLabel !== undefined && suffix !== undefined)
          parseOrUndefined(() => parseDomainName(`${parsedLabel}.${suffix}`));
      }),
      fastCheckOptions(rounds(3000)),
    );
  });

  it('cause no internal error in either API', { timeout: 600_000 }, async () => {
    await using gateway = await startFuzzedGateway();
    await fc.assert(
      fc.asyncProperty(names, names, async (input, tld) => {
        const query = encodeURIComponent(input.toWellFormed());
        for (const path of [
          `/v1/rdap?domain=${query}`,
          `/v1/status?domain=${query}`,
          `/v1/status?name=${query}&tlds=${encodeURIComponent(tld.toWellFormed())}`,
        ]) {
          const response = await gateway.fetch(path);
          expectDocumentedResponse(response.status, await response.text());
        }
        const operation =
          'query ($name: String!, $tld: String, $all: [String!]) { domain(name: $name, tld: $tld) { status } domains(domains: $all) { domain status } }';
        const response = await gateway.post('/graphql', {
          query: operation,
          variables: { name: input, tld, all: [input, tld] },
        });
        expectDocumentedResponse(response.status, await response.text());
      }),
      fastCheckOptions(rounds(100, 0.02)),
    );
    expect(gateway.errorLogs).toEqual([]);
  });
});
