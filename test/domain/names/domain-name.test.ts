import { describe, expect, it } from 'vitest';
import {
  isSameName,
  parseDomainName,
  parseLabel,
  parseSuffix,
  splitName,
  toUnicodeName,
} from '../../../src/domain/names/domain-name.ts';
import { problemOf } from '../../support/checks/problem-of.ts';

const label63 = 'a'.repeat(63);
const longest = `${label63}.${label63}.${label63}.${'b'.repeat(56)}.test`; // 253 characters
const tooLong = `${label63}.${label63}.${label63}.${'b'.repeat(57)}.test`;

describe('parseDomainName', () => {
  it.each([
    ['any case', 'ExAmPlE.TeSt', 'example.test'],
    ['surrounding spaces', '  example.test\t', 'example.test'],
    ['one trailing dot', 'example.test.', 'example.test'],
    ['a U-label', 'Bücher.test', 'xn--bcher-kva.test'],
    ['a U-label in decomposed form', 'bu\u0308cher.test', 'xn--bcher-kva.test'],
    ['an upper-case A-label', 'XN--BCHER-KVA.TEST', 'xn--bcher-kva.test'],
    ['an A-label beside a U-label', 'xn--bcher-kva.испытание', 'xn--bcher-kva.xn--80akhbyknj4f'],
    ['full-width letters and dots', 'ｅｘａｍｐｌｅ．ｔｅｓｔ．', 'example.test'],
    ['an ideographic dot', '例え。test', 'xn--r8jz45g.test'],
    ['a half-width ideographic dot', 'example｡test', 'example.test'],
    ['a sharp s, distinct from ss', 'faß.test', 'xn--fa-hia.test'],
    ['a joiner that its script allows', 'نامه\u200cای.test', 'xn--mgba3gch31f060k.test'],
    ['an emoji under a country code', '💩.la', 'xn--ls8h.la'],
    ['an emoji under a country code in another script', '☕️.срб', 'xn--53h.xn--90a3ac'],
    ['an emoji sent as an A-label', 'xn--ls8h.test', 'xn--ls8h.test'],
    ['a disallowed character sent as an A-label', 'xn--joes-x96a.test', 'xn--joes-x96a.test'],
    [
      'an A-label beside a U-label that is checked',
      'xn--ls8h.bücher.test',
      'xn--ls8h.xn--bcher-kva.test',
    ],
    ['a full-width hyphen', 'best－coffee.test', 'best-coffee.test'],
    ['a middle dot between two l', 'col·laboració.test', 'xn--collaboraci-7sa20f.test'],
    ['a Katakana middle dot between letters of Japanese', 'あ・い.test', 'xn--l8je26c.test'],
    ['a Greek numeral sign', 'α͵β.test', 'xn--wva3je.test'],
    ['a geresh after a Hebrew letter', 'ג׳.test', 'xn--6db0e.test'],
    ['Arabic-Indic digits', 'ا١٢.test', 'xn--mgb0jd.test'],
    ['a numeric label', '123.test', '123.test'],
    ['a label of 63 characters', `${label63}.test`, `${label63}.test`],
    ['253 characters', longest, longest],
    ['253 characters and a dot', `${longest}.`, longest],
    ['more than two labels', 'a.b.c.d.test', 'a.b.c.d.test'],
  ])('parses a name with %s', (_what, input, name) => {
    expect(parseDomainName(input)).toBe(name);
  });

  it.each([
    ['an empty string', ''],
    ['a single dot', '.'],
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
    ['an inner space', 'exa mple.test'],
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
    ['hyphens in the third and fourth position', 'ab--cd.test'],
    ['a label of 64 characters', `a${label63}.test`],
    ['a U-label whose A-label is too long', `${'ü'.repeat(60)}.test`],
    ['254 characters', tooLong],
    ['an IPv4 address', '192.0.2.1'],
    ['a short IPv4 address', '127.1'],
    ['a hexadecimal IPv4 address', '0x7f.1'],
    ['an IPv4 address in full-width digits', '１２７．１'],
    ['a hexadecimal last label', 'example.0x1f'],
    ['a numeric last label', 'example.123'],
    ['an IPv6 address', '[2001:db8::1]'],
    ['an empty A-label', 'xn--.test'],
    ['an A-label of ASCII characters only', 'xn--example-.test'],
    ['an A-label that is not Punycode', 'xn--99999999999999.test'],
    ['an A-label that fails the round trip', 'xn--a.test'],
    ['an A-label in another spelling', 'xn--zn7c.test'],
    ['a U-label with the prefix xn--', 'xn--bücher.test'],
    ['letters of both directions', 'אa1.test'],
    ['a leading combining mark', '\u0300a.test'],
    ['a joiner between Latin letters', 'a\u200cb.test'],
    ['a letter-like symbol with a slash', 'a℀b.test'],
    ['a one dot leader', 'a\u2024test'],
    ['a lone surrogate', '\ud800.test'],
    ['an emoji under a generic TLD', '💩.com'],
    ['an emoji in the sandbox', '💩.test'],
    ['an emoji in a label sent beside an A-label', 'xn--ls8h.💩.test'],
    ['a heart in a name', 'i❤ny.shop'],
    ['a symbol that is no emoji', '√.la'],
    ['a superscript letter, which is mapped, beside a dagger', 'a²†.test'],
    ['an apostrophe', 'joe’s.test'],
    ['a non-breaking hyphen', 'best‑coffee.test'],
    ['a non-breaking hyphen under a country code', 'best‑coffee.la'],
    ['a dash', 'best—coffee.test'],
    ['a minus sign', 'best−coffee.test'],
    ['a soft hyphen', 'best\u00adcoffee.test'],
    ['a non-breaking space', 'best\u00a0coffee.test'],
    ['an Arabic letter extender', 'مـا.test'],
    ['an old Hangul letter', 'ᄀ.test'],
    ['an unassigned code point', 'a\u0378.test'],
    ['a middle dot that is not between two l', 'a·b.test'],
    ['a Katakana middle dot between Latin letters', 'a・b.test'],
    ['a Greek numeral sign before a Latin letter', 'α͵b.test'],
    ['a geresh after a Latin letter', 'a׳.test'],
    ['Arabic-Indic digits of both kinds', 'ا١۲.test'],
    ['200,000 characters', 'a.'.repeat(100_000)],
  ])('rejects %s', (_what, input) => {
    expect(problemOf(() => parseDomainName(input))).toMatchObject({ code: 'invalid_name' });
  });

  it('quotes rejected input, truncated if it is long', () => {
    expect(problemOf(() => parseDomainName('a_b.test')).message).toContain('"a_b.test"');
    expect(
      problemOf(() => parseDomainName(`${'_'.repeat(5000)}.test`)).message.length,
    ).toBeLessThan(250);
  });
});

const messageOf = (input: string, parse: (text: string) => string = parseDomainName) =>
  problemOf(() => parse(input)).message;

describe('the message about an invalid name', () => {
  it.each([
    ['best‑coffee.rest', '"‑" (U+2011)', 'best-coffee.rest'],
    ['best‐coffee.rest', '"‐" (U+2010)', 'best-coffee.rest'],
    ['Best—Coffee.rest', '"—" (U+2014)', 'best-coffee.rest'],
    ['best−coffee.rest', '"−" (U+2212)', 'best-coffee.rest'],
    ['note\u00adbook.rest', 'U+00AD', 'notebook.rest'],
    ['joe’s.rest', '"’" (U+2019)', 'joes.rest'],
    ['“joes”.rest', '"“" (U+201C)', 'joes.rest'],
    ['bücher’s‑shop.rest', '"’" (U+2019)', 'büchers-shop.rest'],
  ])(
    'names the character at fault in %j, and suggests the plain spelling',
    (input, what, plain) => {
      const message = messageOf(input);
      expect(message).toContain(`It can't contain ${what}. Did you mean ${plain}?`);
      expect(parseDomainName(plain)).toBeTruthy();
    },
  );

  it.each([
    ['note\u00a0book.rest', 'notebook.rest', '"noteU+00A0book.rest"'],
    ['note\u{200c}-pad.rest', 'note-pad.rest', '"noteU+200C-pad.rest"'],
    ['joe＇s.rest', 'joes.rest', '"joe＇s.rest"'],
  ])('shows invisible characters of %j, and suggests the plain spelling', (input, plain, shown) => {
    expect(messageOf(input)).toMatch(new RegExp(`^${shown.replace('+', '\\+')} is not`));
    expect(messageOf(input)).toContain(`Did you mean ${plain}?`);
  });

  it('suggests a label or a suffix where one is expected', () => {
    expect(messageOf('best‑coffee', parseLabel)).toContain('Did you mean best-coffee?');
    expect(messageOf('co‑op', parseSuffix)).toContain('Did you mean co-op?');
  });

  it('suggests nothing that is not a name, nor another spelling of ASCII', () => {
    for (const input of ['†‑.rest', '’.rest', 'best coffee.rest', 'a·b.rest'])
      expect(messageOf(input), input).not.toContain('Did you mean');
  });

  it('says under which TLDs emoji are sold, and how such a name can be looked up', () => {
    expect(messageOf('💩.com')).toBe(
      '"💩.com" is not a domain name such as example.com. Only some country-code TLDs sell names with emoji. To look it up all the same, send xn--ls8h.com.',
    );
    expect(parseDomainName('xn--ls8h.com')).toBe('xn--ls8h.com');
  });
});

describe('isSameName', () => {
  it('accepts spellings that IDNA 2008 does not allow, which registries may send', () => {
    expect(isSameName('💩.test', parseDomainName('xn--ls8h.test'))).toBe(true);
  });

  it('accepts every spelling of a name in a response', () => {
    const name = parseDomainName('bücher.test');
    for (const spelling of [
      'xn--bcher-kva.test',
      'XN--BCHER-KVA.TEST.',
      'bücher.test',
      'BÜCHER.test.',
    ]) {
      expect(isSameName(spelling, name), spelling).toBe(true);
    }
    for (const spelling of ['bucher.test', 'www.bücher.test', 'xn--bcher-kva.test..', ''])
      expect(isSameName(spelling, name)).toBe(false);
  });
});

it('toUnicodeName decodes A-labels, but not input longer than a name', () => {
  expect(toUnicodeName(parseDomainName('XN--BCHER-KVA.xn--p1ai'))).toBe('bücher.рф');
  expect(toUnicodeName(parseDomainName('Example.test'))).toBe('example.test');
  // Decoding takes quadratic time.
  const long = `xn--${'a'.repeat(300)}-${'a'.repeat(300)}`;
  expect(toUnicodeName(long)).toBe(long);
});

it('splitName splits after the first label', () => {
  expect(splitName(parseDomainName('example.co.test'))).toEqual({
    ascii: 'example.co.test',
    label: 'example',
    suffix: 'co.test',
  });
});

describe('parseLabel', () => {
  it.each([
    ['Example', 'example'],
    [' bücher ', 'xn--bcher-kva'],
    ['example.', 'example'],
    ['1', '1'],
  ])('parses %j', (input, label) => {
    expect(parseLabel(input)).toBe(label);
  });

  it.each(['', '.', 'a.b', 'www。example', '-a', 'a_b', '*'])('rejects %j', (input) => {
    expect(problemOf(() => parseLabel(input))).toMatchObject({ code: 'invalid_name' });
  });

  it.each([
    ['-x', 'start or end with a hyphen.'],
    ['x-', 'start or end with a hyphen.'],
    ['x_y', 'A label may contain only letters, digits and hyphens.'],
    ['x y', 'A label may contain only letters, digits and hyphens.'],
    ['a'.repeat(64), "can't have more than 63 characters"],
    ['ü'.repeat(60), "can't have more than 63 characters"],
    ['xn--a', '"xn--a" starts with xn--, but is not the Punycode form of a valid label.'],
    ['xn--bücher', '"xn--bücher" starts with xn--, but is not'],
    ['ب1\u0662', "A label can't mix Arabic-Indic digits with other digits."],
    ['\u0661\u06f2', "A label can't mix Arabic-Indic digits with other digits."],
    ['אa', 'right-to-left'],
    ['\u0301a', "A label can't start with a combining mark."],
    ['a\u200cb', "It can't contain U+200C."],
    ['a⁄b', 'It can\'t contain "⁄" (U+2044).'],
    ['a..b', "A label can't be empty."],
  ])('states the rule that %j violates, and no other', (input, rule) => {
    for (const parse of [parseDomainName, parseSuffix]) {
      const { message } = problemOf(() => parse(`${input}.test`));
      expect(message).toContain(rule);
      expect(message.match(/can't|may contain|but is not the/g)).toHaveLength(1);
    }
  });

  it('states the maximum length of a name', () => {
    expect(problemOf(() => parseDomainName(`${'abcde.'.repeat(50)}test`)).message).toContain(
      "A name can't have more than 253 characters",
    );
  });

  it.each(['r2---sn-shop.test', 'www.AB--c.test', 'a.é2--b.test'])(
    'states the rule about hyphens that %j violates',
    (input) => {
      expect(problemOf(() => parseDomainName(input)).message).toBe(
        `"${input}" is not a domain name such as example.com. The third and the fourth character of a label can't both be hyphens, unless it starts with xn--.`,
      );
    },
  );

  it('does not state the rule if the labels are valid', () => {
    expect(problemOf(() => parseLabel('www.example')).message).toBe(
      '"www.example" is not one label of a domain name, such as example.',
    );
    expect(problemOf(() => parseDomainName('example')).message).toBe(
      '"example" is not a domain name such as example.com.',
    );
  });
});

describe('parseSuffix', () => {
  it.each([
    ['com', 'com'],
    ['.COM', 'com'],
    ['COM.', 'com'],
    [' .co.uk ', 'co.uk'],
    ['。рф', 'xn--p1ai'],
    ['xn--p1ai', 'xn--p1ai'],
  ])('parses %j', (input, suffix) => {
    expect(parseSuffix(input)).toBe(suffix);
  });

  it.each(['', '.', '..com', 'com..', '*', '*.ck', '1', 'a.1', 'co_uk', 'c om'])(
    'rejects %j',
    (input) => {
      expect(problemOf(() => parseSuffix(input))).toMatchObject({ code: 'invalid_name' });
    },
  );
});
