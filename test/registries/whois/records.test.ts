// cspell:disable (texts of servers)
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDomainName } from '../../../src/domain/names/domain-name.ts';
import type { Registration } from '../../../src/domain/registration.ts';
import { RecordReader } from '../../../src/registries/whois/read-record.ts';
import { whoisServiceOf, whoisTlds } from '../../../src/registries/whois/whois-format.ts';
import {
  recordReplies as replies,
  type Stated,
} from '../../support/bodies/whois-record-replies.ts';

describe('the registration in a WHOIS reply', () => {
  it.each(replies)(
    'about $name has the values that the reply states, and no others',
    ({ name, reply, stated }) => {
      expect(statedIn(name, reply)).toEqual(stated);
      expect(statedIn(name, reply.replaceAll('\n', '\r\n'))).toEqual(stated);
    },
  );

  it('is read from the replies of every built-in server', () => {
    const tested = new Set(replies.map(({ name }) => name.split('.').at(-1)));
    const sameServer = {
      su: 'ru',
      'xn--p1ai': 'ru',
      'xn--fiqz9s': 'xn--fiqs8s',
      'xn--mgba3a4f16a': 'ir',
      'xn--3e0b707e': 'kr',
    };
    const others = new Map(Object.entries(sameServer));
    expect(whoisTlds.filter((tld) => !tested.has(others.get(tld) ?? tld))).toEqual([]);
  });

  it.each(replies)(
    'about $name loses only what a changed line stated',
    ({ name, reply, stated }) => {
      const lines = reply.split('\n');
      for (const [index, line] of lines.entries()) {
        const renamed = lines.with(index, line.replace(/\S/, 'renamed $&')).join('\n');
        const read = statedIn(name, renamed);
        const lost = Object.keys(stated).filter((field) => !isSame(read, stated, field));
        expect.soft(lost.length, line).toBeLessThanOrEqual(startsSection(line) ? 7 : 1);
        expect
          .soft({ ...stated, ...withoutLists(read) }, line)
          .toEqual(expect.objectContaining(withoutLists(stated)));
      }
    },
  );

  it('has the latest of several updates', () => {
    const reply = `descr: A Person
changed: registrar AT isoc.org.il 20250526 (Changed)
changed: registrar AT isoc.org.il 20240101 (Changed)`;
    expect(statedIn('a.co.il', reply).updated).toBe('2025-05-26T00:00:00.000Z');
  });

  it.each([
    ['in another order', 'Registration Time: 17-03-2003 12:20:05'],
    ['without seconds', 'Registration Time: 2003-03-17 12:20'],
    ['with a year of two digits', 'Registration Time: 03-03-17 12:20:05'],
    ['that does not exist', 'Registration Time: 2003-02-30 12:20:05'],
    [
      'beside another one',
      'Registration Time: 2003-03-17 12:20:05\nRegistration Time: 2004-03-17 12:20:05',
    ],
    ['that is blank', 'Registration Time: \n2003-03-17 12:20:05'],
    ['in a text of the registrant', 'Registrant: Registration Time: 2003-03-17 12:20:05'],
  ])('has no date %s', (_case, lines) => {
    expect(statedIn('a.cn', `Domain Name: a.cn\n${lines}`).created).toBeUndefined();
  });

  it('has no organization under other suffixes than those of organizations', () => {
    const reply = 'g. [Organization] Taro Yamada';
    expect(statedIn('a.co.jp', reply).organization).toBe('Taro Yamada');
    expect(statedIn('a.jp', reply).organization).toBeUndefined();
    expect(statedIn('a.ne.jp', reply).organization).toBeUndefined();
  });

  it('has no list of nameservers if one of them is not a name', () => {
    const reply = 'Name Server: ns1.example.com\nName Server: not_delegated!';
    expect(statedIn('a.cn', reply).nameservers).toBeUndefined();
  });

  it('has no part that an address may have begun', () => {
    const servers = '** Domain Servers:\nns1.example.com\n';
    const reply = `** Registrant:\nA Person\n${servers.replace('ns1.example.com', 'Ankara')}\n${servers}`;
    expect(statedIn('a.com.tr', servers).nameservers).toEqual(['ns1.example.com']);
    expect(statedIn('a.com.tr', reply)).toEqual({});
  });

  it('has no URL that is not one of a site', () => {
    const reply = 'Registrar: Registrar\nRegistrar URL: javascript:alert(1)';
    expect(statedIn('a.co.za', reply)).toEqual({ registrar: { name: 'Registrar' } });
  });

  it.each(['.', '\n', ' ', 'Registrar: ', '(http://', 'DNSSEC: \r', '[Signing Key]'])(
    'is read from 64 KiB of "%s"',
    (text) => {
      for (const tld of whoisTlds) {
        const read = statedIn(`a.${tld}`, text.repeat(65_536 / text.length));
        expect(Object.keys(read).length).toBeLessThanOrEqual(2);
      }
    },
  );
});

/** Some lines begin a part of the reply in which others are read. */
function startsSection(line: string): boolean {
  return /^(?:\*\*|#|descr:|domain:|\s*Name ?servers:?$|DNSSEC DS|Registrar(?::|$))/i.test(line);
}

function isSame(read: Stated, stated: Stated, field: string): boolean {
  const [actual, expected] = [read, stated].map((values) => JSON.stringify(Object(values)[field]));
  return actual === expected;
}

/** Lists and the registrar may have lost a part. */
function withoutLists({
  nameservers: _hosts,
  statuses: _statuses,
  registrar: _registrar,
  ...values
}: Stated): Stated {
  return values;
}

const folder = join(import.meta.dirname, '../../../../shared/whois-record-samples');
const isPresent = existsSync(folder);
/** Without `/e` in the query, which ours has. */
const otherQueries = ['jp/registered-4.json'];

describe.skipIf(!isPresent)(
  `a captured registration${isPresent ? '' : ' (skipped: the captured replies are not in this clone)'}`,
  () => {
    const files = globSync('*/*.json', { cwd: folder }).toSorted();
    const own = files.filter(
      (file) => whoisTlds.includes(file.split('/', 1)[0] ?? '') && !otherQueries.includes(file),
    );

    it.each(own)('%s has exactly the printed values', (file) => {
      const { domain, reply, stated } = sampleOf(file);
      expect(statedIn(domain, reply)).toEqual(stated);
    });

    it.each(own)('%s has the same values with another section', (file) => {
      const { domain, reply, stated } = sampleOf(file);
      const section =
        'Abuse Contact:\n   Name:  A Person\n   Phone:  +1.5550100\n   Date:  2003-02-01';
      expect(statedIn(domain, `${reply}\n\n${section}\n`)).toEqual(stated);
    });

    it.each(own)('%s loses only the dates that are printed in another form', (file) => {
      const { domain, reply, stated, printed } = sampleOf(file);
      for (const text of Object.values<string>(printed ?? {})) {
        const fields = Object.keys(printed).filter((field) => printed[field] === text);
        const lost = fields.map((field) => field.replace('At', ''));
        const others = Object.fromEntries(
          Object.entries(stated).filter(([field]) => !lost.includes(field)),
        );
        const otherText = text.replaceAll(/\d(?:[\d:./ -]*\d)?/g, '1 March 2003');
        expect.soft(statedIn(domain, reply.replaceAll(text, otherText))).toEqual(others);
      }
    });

    it.each(own)('%s has no value that a renamed line does not state', (file) => {
      const { domain, reply, stated } = sampleOf(file);
      const lines = reply.split(/\r?\n/);
      for (const [index, line] of lines.entries()) {
        if (line.endsWith('(Changed)')) continue; // without the latest change, the one before it counts
        const renamed = lines.with(index, line.replace(/\S/, 'renamed $&')).join('\n');
        const read = withoutLists(statedIn(domain, renamed));
        expect.soft({ ...stated, ...read }, line).toEqual(stated);
      }
    });
  },
);

/** A captured reply, what it states, and the texts of its dates. */
function sampleOf(file: string) {
  const { registrar, ...sample } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const stated = withoutEmpty({
    registrar:
      registrar &&
      withoutEmpty({
        name: registrar.name,
        ianaId: registrar.ianaId?.toString(),
        url: registrar.url,
      }),
    created: instantOf(sample.createdAt),
    updated: instantOf(sample.updatedAt),
    expires: instantOf(sample.expiresAt),
    nameservers: sample.nameservers,
    statuses: sample.rdapStatuses,
    signed: sample.dnssec,
    organization: sample.registrantOrganization,
  });
  const reply = textOf(file.replace('.json', '.txt'));
  return { domain: sample.domain, reply, stated, printed: sample.printed };
}

function textOf(file: string): string {
  const bytes = readFileSync(join(folder, file));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
}

function instantOf(text: string | null): string | null {
  return text && new Date(text).toISOString();
}

function statedIn(name: string, reply: string): Stated {
  const domain = parseDomainName(name);
  const record = whoisServiceOf(name.split('.').at(-1) ?? '')?.format.record;
  const registration = new RecordReader(record ?? { dates: [], parts: [] }).read(domain, reply);
  expect(registration).toMatchObject({ ldhName: domain, contacts: [], events: [], redacted: [] });
  return statedBy(registration);
}

function statedBy({ registrar, registrant, ...registration }: Registration): Stated {
  return withoutEmpty({
    registrar,
    created: registration.createdAt,
    updated: registration.updatedAt,
    expires: registration.expiresAt,
    nameservers: registration.hosts.map(({ name }) => name),
    statuses: registration.statuses,
    signed: registration.dnssec.signed,
    organization: registrant?.organization,
  });
}

function withoutEmpty(members: object): Stated {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) =>
        value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  );
}
