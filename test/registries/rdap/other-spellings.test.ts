// cspell:ignore vcards dsdata
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/domain/registration.ts';
import { asObject, hasClass, readJson } from '../../../src/registries/rdap/json.ts';
import { parseRegistration } from '../../../src/registries/rdap/registration.ts';
import { asInstant } from '../../../src/registries/rdap/timestamp.ts';

const read = (members: Record<string, Json>) =>
  parseRegistration({ objectClassName: 'domain', ldhName: 'a.com', ...members } as JsonObject);

const ds = { keyTag: 1, algorithm: 8, digestType: 2, digest: 'AB' };
const card = (...properties: Json[]) => ['vcard', [['version', {}, 'text', '4.0'], ...properties]];
const email = (text: string, params: Json = {}) => ['email', params, 'text', text];
const registrarOf = (...publicIds: Json[]) => ({
  entities: [{ roles: ['registrar'], vcardArray: card(['fn', {}, 'text', 'Reg Inc']), publicIds }],
});

it.each<[string, Record<string, Json>, Json]>([
  [
    'secureDns',
    { secureDns: { DelegationSigned: true, dsdata: [ds] } },
    { dnssec: { signed: true, dsRecords: [ds] } },
  ],
  ['nameServers', { nameServers: [{ LDHName: 'NS.A.COM' }] }, { hosts: [{ name: 'ns.a.com' }] }],
  ['upper case', { HANDLE: 'H1', STATUS: ['active'] }, { handle: 'H1', statuses: ['active'] }],
  [
    'snake case',
    { events: [{ event_action: 'registration', event_date: '2020-01-02T00:00:00+0000Z' }] },
    { createdAt: '2020-01-02T00:00:00.000Z' },
  ],
  ['a correct spelling, which wins', { handle: 'right', Handle: 'wrong' }, { handle: 'right' }],
  [
    'vcards',
    { entities: [{ roles: ['registrant'], vcards: card(email('a@b.com')) }] },
    { registrant: { email: 'a@b.com' } },
  ],
  [
    'a preference',
    {
      entities: [
        {
          roles: ['registrant'],
          vcardArray: card(email('a@b.com', { pref: '2' }), email('c@b.com', { pref: '1' })),
        },
      ],
    },
    { registrant: { email: 'c@b.com' } },
  ],
  [
    "the registrar's name as the type of its id",
    registrarOf({ type: 'REG INC', identifier: '1068' }),
    { registrar: { ianaId: '1068' } },
  ],
  [
    'another name of IANA ids',
    registrarOf({ type: 'Registry', identifier: '5' }, { type: 'IANA ID', identifier: 7 }),
    { registrar: { ianaId: '7' } },
  ],
])('%s is read like the spelling of RFC 9083, and raw is unchanged', (_case, members, expected) => {
  const registration = read(members);
  expect(registration).toMatchObject(expected as object);
  expect(registration.raw).toMatchObject(members);
});

it.each(['2026-01-02T03:04:05+0000Z', '2026-01-02T03:04:05+00:00Z'])('%s is a date', (text) => {
  expect(asInstant(text)).toBe('2026-01-02T03:04:05.000Z');
});

it('integers that a number cannot represent are texts', () => {
  const body =
    '{"handle":12345678901234567890,"n":[1,9007199254740993],"f":1.5,"s":"[1234567890123456789"}';
  expect(asObject(readJson(Buffer.from(body)))).toEqual({
    handle: '12345678901234567890',
    n: [1, '9007199254740993'],
    f: 1.5,
    s: '[1234567890123456789',
  });
});

it('a class is recognized in other spellings', () => {
  for (const objectClassName of ['ip network', 'IpNetwork', 'IP_NETWORK'])
    expect(hasClass({ objectClassName }, 'ip network')).toBe(true);
  expect(hasClass({ objectClassName: 'network' }, 'ip network')).toBe(false);
});
