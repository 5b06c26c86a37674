import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDomainName } from '../../../src/domain/names/domain-name.ts';
import { classifyReply } from '../../../src/registries/whois/das-source.ts';
import { dasServiceOf } from '../../../src/registries/whois/das-services.ts';

/** Replies that registries and the tests of public clients document, with their line ends. */
const documented: readonly (readonly [name: string, lines: readonly string[], answer: string])[] = [
  [
    'eurid.eu',
    [
      '% .eu Domain Availability Server 1.0',
      '%',
      '% (c) 2005 (http://www.eurid.eu)',
      '%',
      '%% RC = 0',
      'Domain: eurid',
      'Status: REGISTERED',
    ],
    'REGISTERED',
  ],
  ['test.eu', ['%RC=0', 'Domain: test.eu', 'Status: AVAILABLE'], 'AVAILABLE'],
  ['test.eu', ['%RC=0', 'Domain: test.eu', 'Status: NOT AVAILABLE'], 'REGISTERED'],
  [
    'test.be',
    ['% .be Domain Availability Server 4.0', '', '%% RC=0', 'Domain: test.be', 'Status: AVAILABLE'],
    'AVAILABLE',
  ],
  ['test.be', ['RC: 0', 'Domain: test.be', 'Status: NOT AVAILABLE'], 'REGISTERED'],
  [
    'xn--bcher-kva.be',
    ['RC: 0', 'Domain: bücher.be', 'A-label: xn--bcher-kva.be', 'Status: AVAILABLE'],
    'AVAILABLE',
  ],
  ['test', ['RC: 0', 'Domain: test', 'Status: NOT ALLOWED'], 'untrusted_answer'],
  [
    'example.ch',
    [
      '0: This domain name can not be registered.',
      'Reason: This domain name is already registered.',
    ],
    'RESERVED',
  ],
  [
    'domain.lt',
    ['% .lt registry DAS service', 'Domain: domain.lt', 'Status: available'],
    'AVAILABLE',
  ],
];

it.each(documented.flatMap((row) => ['\n', '\r\n'].map((lineEnd) => [...row, lineEnd] as const)))(
  'a documented reply about %s is classified as documented (%#)',
  (name, lines, answer, lineEnd) => {
    const text = lines.map((line) => line + lineEnd).join('');
    expect(answerOf(name.includes('.') ? name : `${name}.be`, text)).toBe(answer);
  },
);

/**
 * Captured WHOIS replies stay outside this repository, because registries have terms of use. A
 * server on the port of an availability service may turn out to be a WHOIS server.
 */
const samples = join(import.meta.dirname, '../../../../shared/coverage-samples');
const isPresent = existsSync(samples);

describe.skipIf(!isPresent)(
  `a captured WHOIS reply${isPresent ? '' : ` (skipped: ${samples} does not exist)`}`,
  () => {
    const files = isPresent
      ? ['eu', 'be', 'ch', 'lt'].flatMap((tld) =>
          readdirSync(join(samples, tld)).map((file) => ({
            tld,
            file,
            text: readFileSync(join(samples, tld, file), 'utf8'),
          })),
        )
      : [];

    it.each(files)('of .$tld, $file, has the verdict of its format', ({ tld, file, text }) => {
      const [, name = `name.${tld}`] = /^Domain:\s*(\S+)/m.exec(text) ?? [];
      const expected: Readonly<Record<string, string>> = {
        'lt/available-1.txt': 'AVAILABLE',
        'lt/registered-1.txt': 'REGISTERED',
      };
      // The replies of the other registries have no result code, so they are not in the format of
      // the availability service.
      expect(answerOf(name, text)).toBe(expected[`${tld}/${file}`] ?? 'untrusted_answer');
    });

    it('exists for each class', () => {
      const classes = new Set(files.map(({ file }) => file.split('-')[0]));
      expect(classes).toEqual(new Set(['available', 'registered', 'reserved', 'throttled']));
    });
  },
);

function answerOf(name: string, text: string): string | undefined {
  const service = dasServiceOf(name.slice(name.lastIndexOf('.') + 1));
  if (!service) throw new Error(`${name} has no availability service`);
  const { verdict, problem } = classifyReply(service, parseDomainName(name), text);
  return problem?.code ?? verdict;
}
