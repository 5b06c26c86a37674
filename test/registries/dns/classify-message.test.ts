import { decode, encode, type Answer, type Packet } from 'dns-packet';
import { describe, expect, it } from 'vitest';
import { classifyMessage, type QueriedName } from '../../../src/registries/dns/message.ts';
import { nsRecords, rcodes, soaRecord } from '../../support/servers/fake-dns-server.ts';

const aa = 1 << 10;
const queried: QueriedName = { name: 'name.co.aa', zone: 'aa', soaOwners: ['aa'], hasEdns: true };

function kindOf(parts: Partial<Packet>, changes: Partial<QueriedName> = {}): string {
  const message = decode(encode({ type: 'response', ...parts }));
  return classifyMessage(message, { ...queried, ...changes }).kind;
}

const delegRecord = (owner: string): Answer =>
  ({ type: 'UNKNOWN_61440', name: owner, ttl: 300, data: Buffer.alloc(0) }) as never;

const inClass = (records: Answer[], changes: object) =>
  records.map((record) => ({ ...record, ...changes }) as Answer);

/** Messages, by what they are taken for. */
const messages: Readonly<Record<string, Readonly<Record<string, Partial<Packet>>>>> = {
  delegated: {
    'a referral of the name': { authorities: nsRecords('name.co.aa') },
    'a referral by DELEG records': { authorities: [delegRecord('NAME.co.aa')] },
  },
  zone_cut: {
    'a referral by DELEG records above': { authorities: [delegRecord('co.aa')] },
    'a referral between zone and name': { authorities: nsRecords('co.aa') },
  },
  lame: {
    'a referral of the zone': { authorities: nsRecords('aa') },
    'a referral of the root': { authorities: nsRecords('.') },
    'a referral of a sibling': { authorities: nsRecords('other.co.aa') },
    'a referral of a name below': { authorities: nsRecords('www.name.co.aa') },
    'a referral of part of a label': { authorities: nsRecords('o.aa') },
    'a referral with a letter that is not ASCII': { authorities: nsRecords('name.\u212Ao.aa') },
  },
  hosted: {
    'a referral of two zones': { authorities: [...nsRecords('co.aa'), ...nsRecords('name.co.aa')] },
    'an authoritative referral': { flags: aa, authorities: nsRecords('name.co.aa') },
    'a negative answer with a referral': {
      flags: aa,
      authorities: [soaRecord('aa'), ...nsRecords('name.co.aa')],
    },
    'an SOA record of the name': { flags: aa, authorities: [soaRecord('name.co.aa')] },
    'an answer without the flag AA': { answers: nsRecords('name.co.aa') },
    'a negative answer with DELEG records of the name': {
      flags: aa,
      authorities: [soaRecord('aa'), delegRecord('name.co.aa')],
    },
  },
  invalid: {
    'a referral of another class': {
      authorities: inClass(nsRecords('name.co.aa'), { class: 'CH' }),
    },
    'a referral with the flag of multicast DNS': {
      authorities: inClass(nsRecords('name.co.aa'), { flush: true }),
    },
    'NXDOMAIN with the SOA record of a zone below': {
      flags: aa | rcodes.nxDomain,
      authorities: [soaRecord('co.aa')],
    },
    'NXDOMAIN with NS in the answer': {
      flags: aa | rcodes.nxDomain,
      answers: nsRecords('name.co.aa'),
    },
  },
  nodata: { 'an SOA record of the zone': { flags: aa, authorities: [soaRecord('AA')] } },
  nxdomain: {
    'NXDOMAIN with an SOA record of the zone': {
      flags: aa | rcodes.nxDomain,
      authorities: [soaRecord('aa')],
    },
  },
  alias: {
    'NXDOMAIN for the target of an alias': {
      flags: aa | rcodes.nxDomain,
      answers: [{ type: 'DNAME', name: 'co.aa', data: 'co.bb' }],
      authorities: [soaRecord('bb')],
    },
  },
  refused: { 'another response code': { flags: 9, authorities: nsRecords('name.co.aa') } },
  intercepted: { 'an answer of a resolver': { flags: 0x80, authorities: nsRecords('name.co.aa') } },
};
const rows = Object.entries(messages).flatMap(([kind, group]) =>
  Object.entries(group).map(([what, parts]) => ({ kind, what, parts })),
);

describe('a response', () => {
  it.each(rows)('is $kind if it is $what', ({ kind, parts }) => {
    expect(kindOf(parts)).toBe(kind);
  });

  it('rejects EDNS only if the query used it', () => {
    expect(kindOf({ flags: rcodes.formErr })).toBe('no_edns');
    expect(kindOf({ flags: rcodes.formErr }, { hasEdns: false })).toBe('refused');
  });

  it('may have the SOA record of each zone that the servers may serve', () => {
    const parts = { flags: aa | rcodes.nxDomain, authorities: [soaRecord('co.aa')] };
    expect(kindOf(parts, { zone: 'co.aa', soaOwners: ['co.aa', 'aa'] })).toBe('nxdomain');
  });

  it('names the zone below and its name servers', () => {
    const message = decode(encode({ type: 'response', authorities: nsRecords('CO.aa') }));
    expect(classifyMessage(message, queried)).toEqual({
      kind: 'zone_cut',
      zone: 'co.aa',
      nameServers: ['ns1.example.net', 'ns2.example.net'],
    });
  });
});
