import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSameName, parseDomainName } from '../../../src/domain/names/domain-name.ts';
import type { Registration } from '../../../src/domain/registration.ts';
import { asObject, readJson } from '../../../src/registries/rdap/json.ts';
import {
  parseRegistrarRecord,
  parseRegistration,
} from '../../../src/registries/rdap/registration.ts';

/**
 * Captured responses stay outside this repository: they contain personal data, and registries have
 * terms of use. No assertion below prints their content.
 */
const data = join(import.meta.dirname, '../../../../shared/data');
const present = existsSync(join(data, 'corpus.manifest.json'));

interface Row {
  readonly file: string;
  readonly domain: string;
  readonly role: string;
  readonly status: number;
}

function read(path: string): Registration | undefined {
  const object = asObject(readJson(readFileSync(join(data, path))));
  return (
    object &&
    (path.includes('__registrar-') ? parseRegistrarRecord(object) : parseRegistration(object))
  );
}

describe.skipIf(!present)(
  `the corpus of captured responses${present ? '' : ` (skipped: ${data} does not exist)`}`,
  () => {
    const rows = present
      ? (JSON.parse(readFileSync(join(data, 'corpus.manifest.json'), 'utf8')) as Row[])
      : [];
    const found = (role: string) => rows.filter((row) => row.status === 200 && row.role === role);

    it.each(rows.filter(({ status, role }) => status === 200 && role !== 'rir'))(
      'includes $file, which is parsed and has the requested name',
      (row) => {
        const registration = read(join('corpus', row.file));
        expect(isSameName(registration?.ldhName ?? '', parseDomainName(row.domain))).toBe(true);
      },
    );

    it.each<[string, number, number, (registration: Registration) => unknown]>([
      // What is missing is not in the answers: .fr once without nameservers, .nl without expiry,
      // thin .cz, .ua and .uk registrars.
      ['a registrar name', 67, 51, ({ registrar }) => registrar?.name],
      // Two registrars send theirs with a type of their own.
      ['an IANA id', 59, 48, ({ registrar }) => registrar?.ianaId],
      ["the registrar's website", 33, 11, ({ registrar }) => registrar?.url],
      ["the registrar's abuse e-mail address", 56, 51, ({ registrar }) => registrar?.abuseEmail],
      ["the registrar's abuse telephone number", 56, 51, ({ registrar }) => registrar?.abusePhone],
      ['a registration date', 67, 51, ({ createdAt }) => createdAt],
      ['a last-changed date', 59, 38, ({ updatedAt }) => updatedAt],
      ['an expiry date', 65, 50, ({ expiresAt }) => expiresAt],
      ['nameservers', 66, 50, ({ hosts }) => hosts.length],
      ['statuses', 67, 50, ({ statuses }) => statuses.length],
      ['a registrant', 26, 49, ({ registrant }) => registrant],
      ['a DNSSEC state', 62, 50, ({ dnssec }) => dnssec.signed !== undefined],
      ['redactions', 11, 23, ({ redacted }) => redacted.length],
    ])(
      'contains %s in at least %i responses of registries and %i of registrars',
      (_case, registries, registrars, valueOf) => {
        const count = (role: string) =>
          found(role).filter(({ file }) =>
            valueOf(read(join('corpus', file)) ?? parseRegistration({})),
          ).length;
        expect(count('registry')).toBeGreaterThanOrEqual(registries);
        expect(count('registrar')).toBeGreaterThanOrEqual(registrars);
      },
    );

    it('is parsed into nameservers in lower case without a final dot, and dates in UTC', () => {
      for (const { file } of rows) {
        const { hosts = [], events = [] } = read(join('corpus', file)) ?? {};
        expect(hosts.every(({ name }) => /^[a-z0-9._-]*[a-z0-9]$/.test(name))).toBe(true);
        expect(
          events.every(
            ({ date }) =>
              date === undefined || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(date),
          ),
        ).toBe(true);
      }
    });

    it.each(['corpus', 'malformed', 'rfc-examples', 'server-golden'])(
      'in %s contains nothing on which the parser fails',
      (folder) => {
        const files = readdirSync(join(data, folder), { recursive: true, encoding: 'utf8' }).filter(
          (file) => file.endsWith('.json'),
        );
        expect(files.length).toBeGreaterThan(10);
        for (const file of files)
          expect(() => JSON.stringify(read(join(folder, file)) ?? null), file).not.toThrow();
      },
    );
  },
);
