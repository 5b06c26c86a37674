import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDomainName } from '../../../src/domain/names/domain-name.ts';
import { compileFormat, readReply } from '../../../src/registries/whois/classify-whois-reply.ts';
import { replyForm } from '../../../src/registries/whois/whois-source.ts';
import { whoisServiceOf, whoisTlds } from '../../../src/registries/whois/whois-format.ts';

/** Captured replies stay outside this repository, because registries have terms of use. */
const folder = join(import.meta.dirname, '../../../../shared/coverage-samples');
const isPresent = existsSync(folder);

/** Replies in a form that the server no longer sends, or sends to other queries than ours. */
const superseded = [
  'cl/available-2.txt',
  'ie/available-2.txt',
  'jp/registered-1.txt',
  'jp/registered-4.txt',
  'jp/reserved-2.txt',
  'kr/available-2.txt',
  'my/available-2.txt',
  'nz/available-2.txt',
  'pt/available-2.txt',
];
/** Captured replies with more than the class of their file says. */
const exact: Readonly<Record<string, string>> = { 'it/registered-3.txt': 'REDEMPTION' };
const byClass: Readonly<Record<string, string>> = {
  available: 'AVAILABLE',
  registered: 'REGISTERED',
  reserved: 'RESERVED',
  throttled: 'refused',
};

interface Sample {
  readonly file: string;
  readonly tld: string;
  readonly name: string;
  readonly class: string;
  readonly text: string;
}

describe.skipIf(!isPresent)(
  `a captured WHOIS reply${isPresent ? '' : ` (skipped: ${folder} does not exist)`}`,
  () => {
    const samples = isPresent ? readSamples() : [];
    const own = samples.filter(({ tld }) => whoisTlds.includes(tld));

    it.each(own)('$file is classified correctly', ({ file, tld, name, class: kind, text }) => {
      const expected = superseded.includes(file) ? 'unclear' : (exact[file] ?? byClass[kind]);
      expect(read(tld, name, text)).toBe(expected);
    });

    const available = own.filter(({ tld, name, text }) => read(tld, name, text) === 'AVAILABLE');

    it.each(available)(
      '$file has the same form for another name at another time',
      ({ tld, name, text }) => {
        const other = `${'x'.repeat(24)}.${tld}`;
        const later = text
          .replaceAll(name, other)
          .replaceAll(/\d\d:\d\d:\d\d(?:\.\d+)?/g, '01:02:03')
          .replaceAll(/2026-\d\d-\d\d/g, '2027-01-02');
        expect(formOf(name, text)).toBe(formOf(other, later));
      },
    );

    it.each(available)('$file has another form beside a refusal', ({ tld, name, text }) => {
      for (const refusal of samples.filter((sample) => sample.class === 'throttled')) {
        const both = `${refusal.text}\n${text}`;
        if (read(tld, name, both) === 'AVAILABLE')
          expect(formOf(name, both), refusal.file).not.toBe(formOf(name, text));
      }
    });

    it('exists for each class', () => {
      expect(new Set(own.map((sample) => sample.class))).toEqual(new Set(Object.keys(byClass)));
    });

    it.each(samples.filter((sample) => sample.class === 'throttled'))(
      '$file, a refusal, has no verdict for any registry',
      ({ text }) => {
        for (const tld of whoisTlds)
          expect(read(tld, `name.${tld}`, text)).toMatch(/^(?:refused|unclear)$/);
      },
    );

    it.each(own.filter((sample) => sample.class === 'registered'))(
      '$file says nothing about another name',
      ({ tld, text }) => {
        expect(read(tld, `other.${tld}`, text)).toBe('unclear');
      },
    );
  },
);

function formOf(name: string, text: string): string {
  return replyForm(text, parseDomainName(name));
}

/** Returns the verdict of a reply; `refused` or `unclear` if it has none. */
function read(tld: string, name: string, text: string): string | undefined {
  const service = whoisServiceOf(tld);
  if (!service) throw new Error(`.${tld} has no WHOIS server`);
  const statement = readReply(compileFormat(service.format), parseDomainName(name), text);
  if (!statement) return 'unclear';
  return 'refusal' in statement ? 'refused' : statement.verdict;
}

function readSamples(): readonly Sample[] {
  const names = new Map(
    readFileSync(join(folder, 'PROVENANCE.md'), 'utf8')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map(([, file = '', name = '']) => [file, name] as const),
  );
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.txt'))
    .map((file) => {
      const [suffix = '', title = ''] = file.split('/');
      const name = names.get(file) ?? '–';
      return {
        file,
        tld: suffix.slice(suffix.lastIndexOf('.') + 1),
        // Unrecorded names are those of the collections' convention.
        name: name === '–' ? `u34jedzcq.${suffix}` : name,
        class: title.slice(0, title.indexOf('-')),
        text: decode(readFileSync(join(folder, file))),
      };
    });
}

function decode(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}
