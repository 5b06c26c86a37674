import { describe, expect, it } from 'vitest';
import { parseDomainName } from '../../../src/domain/names/domain-name.ts';
import { invalidTexts, joinedTexts, plainTexts } from '../../support/bodies/pasted-texts.ts';
import { problemOf } from '../../support/checks/problem-of.ts';

interface TypedText {
  interpret(text: string): Record<string, unknown>;
  parseTlds(text: string): readonly string[];
}
const { interpret, parseTlds }: TypedText = await import(
  new URL('../../../src/domain/text/typed-text.js', import.meta.url).href
);

describe('the text in the search field', () => {
  it.each(plainTexts)('%j means %s', (text, name) => {
    expect(interpret(text)).toEqual({ kind: 'name', labels: name.split('.') });
  });

  it.each(joinedTexts)('%j means %s, or %s', (text, name, alternative) => {
    expect(interpret(text)).toEqual({ kind: 'name', labels: name.split('.'), alternative });
  });

  it.each(['', '   ', '.', 'https://', '/path', '@'])('%j is empty', (text) => {
    expect(interpret(text)).toEqual({ kind: 'empty' });
  });

  it.each(['xn--a.com', 'xn--bcher_kva.com', 'xn--bcher kva', 'xn--bcher-kva-.com'])(
    'no other name is suggested for an A-label: %j',
    (text) => {
      expect(interpret(text)).not.toHaveProperty('suggestion');
      expect(interpret(text)).not.toHaveProperty('alternative');
    },
  );

  it.each(invalidTexts)('%j is invalid: %s', (text, message, suggestion) => {
    expect(interpret(text)).toEqual({
      kind: 'invalid',
      message,
      ...(suggestion && { suggestion }),
    });
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    [' 192.0.2.0/24 ', '192.0.2.0/24'],
    ['http://192.0.2.1:8080/path', '192.0.2.1'],
    ['http://[2001:db8::1]/', '2001:db8::1'],
    ['https://[2001:db8::1]:8443/path', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:DB8::/32', '2001:DB8::/32'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['::', '::'],
  ])('%j is the IP address or network %s', (text, key) => {
    expect(interpret(text)).toEqual({ kind: 'object', type: 'ip', key });
  });

  it('is an AS number in upper case, and a name in lower case', () => {
    const number = { kind: 'object', type: 'autnum', key: 'AS64496', alternative: 'as64496' };
    expect(interpret(' AS64496 ')).toEqual(number);
    expect(interpret('AS 64496')).toMatchObject({ type: 'autnum', key: 'AS 64496' });
    expect(interpret('as64496')).toEqual({ kind: 'name', labels: ['as64496'] });
  });

  it.each([
    'best‑coffee.rest',
    'one‐two.com',
    'a—b−c.com',
    'joe’s.rest',
    '“joes”‐bar.rest',
    'büro’s‑bar.de',
  ])('gets the suggestion of the gateway: %s', (text) => {
    const { suggestion } = interpret(text);
    expect(suggestion).toBeDefined();
    const { message } = problemOf(() => parseDomainName(text));
    expect(message).toContain(`Did you mean ${String(suggestion)}?`);
  });

  it.each(['💡.la', 'i💡dea.co', '💡.рф', '💡.xn--p1ai'])(
    'may contain emoji under a country code: %s',
    (text) => {
      expect(interpret(text)).toEqual({ kind: 'name', labels: text.split('.') });
    },
  );

  it('never fails, and every suggestion is valid', async () => {
    const { default: fc } = await import('fast-check');
    const text = fc.string({ unit: fc.constantFrom(...'aZ9-. ._/:@?#。ü\u00ad💡\u0301🇩א١‑—’') });
    fc.assert(
      fc.property(text, (input) => {
        const { suggestion, alternative, labels } = interpret(input);
        for (const name of [suggestion, alternative, (labels as string[] | undefined)?.join('.')])
          if (typeof name === 'string' && name !== 'www')
            expect(interpret(name)['kind'], JSON.stringify(name)).not.toBe('empty');
        if (typeof suggestion === 'string') expect(interpret(suggestion)['kind']).toBe('name');
      }),
      { numRuns: 2000 },
    );
  });
});

it.each([
  ['com, net;org\n.io', ['com', 'net', 'org', 'io']],
  ['COM com .com', ['com']],
  ['co.uk .рф', ['co.uk', 'рф']],
  ['@popular -x com', ['com']],
  ['', []],
])('a list of TLDs: %j', (text, tlds) => {
  expect(parseTlds(text)).toEqual(tlds);
});
