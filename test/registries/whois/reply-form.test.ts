// cspell:disable (texts of servers)
import { describe, expect, it } from 'vitest';
import { parseDomainName } from '../../../src/domain/names/domain-name.ts';
import { replyForm } from '../../../src/registries/whois/whois-source.ts';

const control = 'abcdefghijklmnopqrstuvwx';
const formOf = (name: string, text: string) => replyForm(text, parseDomainName(name));
const formAbout = (name: string, text: string) => formOf(name, text.replaceAll('{name}', name));

/** Texts about a name, of which two replies differ only in what varies legitimately. */
const varying: readonly (readonly [title: string, one: string, other: string])[] = [
  ['the name', 'No match for {name}.', 'No match for {name}.'],
  ['the name in quotes', "Information related to '{name}'", "Information related to '{name}'"],
  [
    'the name in a URL',
    'https://registry.example/?name={name}',
    'https://registry.example/?name={name}',
  ],
  ['the time', 'Last updated on 2026-11-23T10:00:00Z', 'Last updated on 2026-01-02T03:04:05.678Z'],
  ['the time with an offset', 'at 2026-11-23 10:00:00+01:00', 'at 2026-01-02 03:04:05+02:00'],
  ['the day', 'Sun Jul 12 12:34:26 GMT 2026', 'Monday November 2 2:04:05 GMT 2026'],
  ['the year', 'Copyright 1995-2026', 'Copyright 1995-2027'],
  ['the half of the day', '11/23/2026 10:00:00 AM', '1/2/2027 3:00:00 PM'],
  ['a counter', 'Queries left: 480 of 500', 'Queries left: 9 of 500'],
  ['the address of the client', 'Hello 192.0.2.1.', 'Hello 2001:db8::1.'],
  ['spaces and letter case', 'Not  found:\t{name} ', 'NOT FOUND: {name}'],
  ['blank lines', 'Not found\n\n\nTerms', '\r\nNot found\r\nTerms\r\n'],
];

describe('the form of a reply', () => {
  it.each(varying)('does not depend on %s', (_title, one, other) => {
    expect(formAbout('free1.at', one)).toBe(formAbout(`${control}.at`, other));
  });

  it.each(['xn--bcher-kva.at', 'bücher.at', 'BÜCHER.at', 'XN--BCHER-KVA.AT'])(
    'does not depend on the spelling of the name (%s)',
    (spelling) => {
      const own = formOf('xn--bcher-kva.at', `Not found: ${spelling}`);
      expect(own).toBe(formOf(`${control}.at`, `Not found: ${control}.at`));
    },
  );

  it.each([
    ['another line', '% Slow down\nNot found: free.at\n'],
    ['a line more at the end', 'Not found: free.at\nReserved by the registry\n'],
    ['the same line twice', 'Not found: free.at\nNot found: free.at\n'],
    ['more text in a line', 'Not found: free.at (blocked)\n'],
    ['another name', 'Not found: other.at\n'],
    ['a longer name', 'Not found: www.free.at\n'],
    ['a name with the same end', 'Not found: xfree.at\n'],
    ['a name with the same beginning', 'Not found: free.at.example\n'],
    ['fewer lines', '\n'],
  ])('depends on %s', (_title, text) => {
    expect(formOf('free.at', text)).not.toBe(formOf(`${control}.at`, `Not found: ${control}.at\n`));
  });

  it.each([
    ['hexadecimal digits', 'a'.repeat(60_000)],
    ['digits', '1'.repeat(60_000)],
    ['separators', '1'.padEnd(60_000, ' :')],
    ['colons', ':'.repeat(60_000)],
    ['the name', 'free.at'.repeat(8000)],
  ])('is computed in linear time (%s)', (_title, text) => {
    // A quadratic pattern would take minutes.
    expect(formOf('free.at', text)).toHaveLength(16);
  });
});
