import { describe, expect, it } from 'vitest';
import {
  isSameName,
  parseDomainName,
  parseLabel,
  parseSuffix,
  splitName,
  toUnicodeName,
} from '../../src/domain/domain-name.ts';
import { problemOf } from '../support/problem-of.ts';

const label63 = 'a'.repeat(63);
const longest = `${label63}.${label63}.${label63}.${'b'.repeat(56)}.test`; // 253 characters
const tooLong = `${label63}.${label63}.${label63}.${'b'.repeat(57)}.test`;

describe('a domain name', () => {
  it.each([
    ['any case', 'ExAmPlE.TeSt', 'example.test'],
    ['spaces around', '  example.test\t', 'example.test'],
    ['one trailing dot', 'example.test.', 'example.test'],
    ['a U-label', 'Bücher.test', 'xn--bcher-kva.test'],
    ['a U-label in decomposed form', 'bu\u0308cher.test', 'xn--bcher-kva.test'],
    ['an A-label in capitals', 'XN--BCHER-KVA.TEST', 'xn--bcher-kva.test'],
    ['an A-label beside a U-label', 'xn--bcher-kva.испытание', 'xn--bcher-kva.xn--80akhbyknj4f'],
    ['full-width letters and dots', 'ｅｘａｍｐｌｅ．ｔｅｓｔ．', 'example.test'],
    ['an ideographic dot', '例え。test', 'xn--r8jz45g.test'],
    ['a half-width ideographic dot', 'example｡test', 'example.test'],
    ['a sharp s, which is not ss', 'faß.test', 'xn--fa-hia.test'],
    ['a joiner where its script has one', 'نامه\u200cای.test', 'xn--mgba3gch31f060k.test'],
    ['an emoji, which is left to the registry', '💩.test', 'xn--ls8h.test'],
    ['digits that are no address', '123.test', '123.test'],
    ['a label of 63 characters', `${label63}.test`, `${label63}.test`],
    ['253 characters', longest, longest],
    ['253 characters and a dot', `${longest}.`, longest],
    ['many labels', 'a.b.c.d.test', 'a.b.c.d.test'],
  ])('is read with %s', (_what, typed, name) => {
    expect(parseDomainName(typed)).toBe(name);
  });

  it.each([
    ['nothing', ''],
    ['a dot alone', '.'],
    ['one label', 'example'],
    ['a URL', 'https://example.test/'],
    ['a path', 'a/b.test'],
    ['a query', 'a?b.test'],
    ['a fragment', 'a#b.test'],
    ['a port', 'example.test:443'],
    ['a user', 'a@b.test'],
    ['a backslash', 'a\\b.test'],
    ['percent-encoding', '%65xample.test'],
    ['a percent-encoded dot', 'a%2eb.test'],
    ['a parent directory', '..%2f..%2fhelp.test'],
    ['a space within', 'exa mple.test'],
    ['a line break', 'example.test\r\nhost: x'],
    ['a null byte', 'a\0b.test'],
    ['an underscore', '_dmarc.test'],
    ['an asterisk', '*.test'],
    ['an exclamation mark', 'a!.test'],
    ['an empty label', 'a..test'],
    ['a leading dot', '.example.test'],
    ['two trailing dots', 'example.test..'],
    ['a leading hyphen', '-a.test'],
    ['a trailing hyphen', 'a-.test'],
    ['hyphens where an A-label has them', 'ab--cd.test'],
    ['a label of 64 characters', `a${label63}.test`],
    ['a U-label whose A-label is too long', `${'ü'.repeat(60)}.test`],
    ['254 characters', tooLong],
    ['an IPv4 address', '192.0.2.1'],
    ['a short IPv4 address', '127.1'],
    ['a hexadecimal IPv4 address', '0x7f.1'],
    ['an IPv4 address in full-width digits', '１２７．１'],
    ['a last label in hexadecimal', 'example.0x1f'],
    ['a last label of digits', 'example.123'],
    ['an IPv6 address', '[2001:db8::1]'],
    ['an A-label of nothing', 'xn--.test'],
    ['an A-label of ASCII alone', 'xn--example-.test'],
    ['an A-label that is no Punycode', 'xn--99999999999999.test'],
    ['an A-label that does not come back', 'xn--a.test'],
    ['an A-label of another spelling', 'xn--zn7c.test'],
    ['a U-label with the prefix', 'xn--bücher.test'],
    ['letters of both directions', 'אa1.test'],
    ['a combining mark first', '\u0300a.test'],
    ['a joiner between Latin letters', 'a\u200cb.test'],
    ['a letter-like symbol with a slash', 'a℀b.test'],
    ['a one dot leader', 'a\u2024test'],
    ['half a surrogate pair', '\ud800.test'],
    ['a novel', 'a.'.repeat(100_000)],
  ])('is refused when it is %s', (_what, typed) => {
    expect(problemOf(() => parseDomainName(typed))).toMatchObject({ code: 'invalid_name' });
  });

  it('is quoted in the refusal, but not at any length', () => {
    expect(problemOf(() => parseDomainName('a_b.test')).message).toContain('"a_b.test"');
    expect(
      problemOf(() => parseDomainName(`${'_'.repeat(5000)}.test`)).message.length,
    ).toBeLessThan(200);
  });

  it('is the same in every form in which a registry may write it', () => {
    const name = parseDomainName('bücher.test');
    for (const written of [
      'xn--bcher-kva.test',
      'XN--BCHER-KVA.TEST.',
      'bücher.test',
      'BÜCHER.test.',
    ]) {
      expect(isSameName(written, name), written).toBe(true);
    }
    for (const written of ['bucher.test', 'www.bücher.test', 'xn--bcher-kva.test..', ''])
      expect(isSameName(written, name)).toBe(false);
  });

  it('has a form for people', () => {
    expect(toUnicodeName(parseDomainName('XN--BCHER-KVA.xn--p1ai'))).toBe('bücher.рф');
    expect(toUnicodeName(parseDomainName('Example.test'))).toBe('example.test');
    // Decoding would take time that grows with the square of the length.
    const long = `xn--${'a'.repeat(300)}-${'a'.repeat(300)}`;
    expect(toUnicodeName(long)).toBe(long);
  });

  it('is split after its first label', () => {
    expect(splitName(parseDomainName('example.co.test'))).toEqual({
      label: 'example',
      suffix: 'co.test',
    });
  });
});

describe('a label', () => {
  it.each([
    ['Example', 'example'],
    [' bücher ', 'xn--bcher-kva'],
    ['example.', 'example'],
    ['1', '1'],
  ])('%j is read', (typed, label) => {
    expect(parseLabel(typed)).toBe(label);
  });

  it.each(['', '.', 'a.b', 'www。example', '-a', 'a_b', '*'])('%j is none', (typed) => {
    expect(problemOf(() => parseLabel(typed))).toMatchObject({ code: 'invalid_name' });
  });

  it.each(['-x', 'x-', 'x_y', 'x y', 'a'.repeat(64)])(
    '%j is refused with the rule that it breaks',
    (typed) => {
      const rule = 'A label is at most 63 letters, digits and hyphens, no hyphen at an end.';
      expect(problemOf(() => parseLabel(typed)).message).toBe(
        `"${typed}" is not one label of a domain name, such as example. ${rule}`,
      );
      expect(problemOf(() => parseDomainName(`${typed}.test`)).message).toContain(rule);
      expect(problemOf(() => parseSuffix(`${typed}.test`)).message).toContain(rule);
    },
  );

  it('is told of no rule that was kept', () => {
    expect(problemOf(() => parseLabel('www.example')).message).toBe(
      '"www.example" is not one label of a domain name, such as example.',
    );
    expect(problemOf(() => parseDomainName('example')).message).toBe(
      '"example" is not a domain name such as example.com.',
    );
  });
});

describe('a suffix', () => {
  it.each([
    ['com', 'com'],
    ['.COM', 'com'],
    ['COM.', 'com'],
    [' .co.uk ', 'co.uk'],
    ['。рф', 'xn--p1ai'],
    ['xn--p1ai', 'xn--p1ai'],
  ])('%j is read', (typed, suffix) => {
    expect(parseSuffix(typed)).toBe(suffix);
  });

  it.each(['', '.', '..com', 'com..', '*', '*.ck', '1', 'a.1', 'co_uk', 'c om'])(
    '%j is none',
    (typed) => {
      expect(problemOf(() => parseSuffix(typed))).toMatchObject({ code: 'invalid_name' });
    },
  );
});
