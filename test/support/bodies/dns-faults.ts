import {
  AUTHORITATIVE_ANSWER,
  RECURSION_AVAILABLE,
  TRUNCATED_RESPONSE,
  type Answer,
  type Packet,
} from 'dns-packet';
import {
  encodeResponse,
  nsRecords,
  rcodes,
  soaRecord,
  withLength,
  type FakeDnsAnswer,
  type FakeDnsQuery,
} from '../servers/fake-dns-server.ts';

/** What a server does with every query for one name, and what a lookup must conclude from it. */
export interface DnsFault {
  readonly answer: FakeDnsAnswer;
  /** The verdict, the delegation or the problem code. */
  readonly result: 'REGISTERED' | 'absent' | 'has_records' | 'registry_error' | 'registry_timeout';
}

const send =
  (parts: (query: FakeDnsQuery) => Partial<Packet> & { readonly rcode?: number }) =>
  (query: FakeDnsQuery) =>
    query.send(parts(query));
const referralTo = (owner: (query: FakeDnsQuery) => string) =>
  send((query) => ({ authorities: nsRecords(owner(query)) }));
const delegate = referralTo(({ name }) => name);

/** Truncates answers over UDP. */
const truncated =
  (overTcp: (query: FakeDnsQuery) => void, authorities: (name: string) => Answer[] = () => []) =>
  (query: FakeDnsQuery) =>
    query.transport === 'tcp'
      ? overTcp(query)
      : query.send({ flags: TRUNCATED_RESPONSE, authorities: authorities(query.name) });

/** A delegation in a message that is not the response to the query. */
const forged =
  (change: (response: Buffer, query: FakeDnsQuery) => Buffer) => (query: FakeDnsQuery) =>
    query.sendBytes(change(delegation(query), query));
const delegation = (query: FakeDnsQuery) =>
  encodeResponse(query, { authorities: nsRecords(query.name) });

/** Sends a forged delegation before the true answer. */
const racing =
  (change: (response: Buffer, query: FakeDnsQuery) => Buffer) => (query: FakeDnsQuery) => {
    forged(change)(query);
    negative(query);
  };
const negative = send(({ zone }) => ({
  flags: AUTHORITATIVE_ANSWER,
  rcode: rcodes.nxDomain,
  authorities: [soaRecord(zone)],
}));

const otherId = (response: Buffer) => {
  response.writeUInt16BE(response.readUInt16BE(0) ^ 1, 0);
  return response;
};
const asQuery = (response: Buffer) => {
  response.writeUInt8(0, 2);
  return response;
};
const otherName = (_response: Buffer, query: FakeDnsQuery) => {
  const name = query.spelledName.replace(/^./, 'x');
  const packet = { ...query.packet, questions: [{ name, type: 'NS' as const }] };
  return encodeResponse({ packet }, { authorities: nsRecords(query.name) });
};
const otherType = (_response: Buffer, query: FakeDnsQuery) => {
  const packet = { ...query.packet, questions: [{ name: query.spelledName, type: 'A' as const }] };
  return encodeResponse({ packet }, { authorities: nsRecords(query.name) });
};
const otherCase = (_response: Buffer, query: FakeDnsQuery) => {
  const name = query.spelledName.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  const packet = { ...query.packet, questions: [{ name, type: 'NS' as const }] };
  return encodeResponse({ packet }, { authorities: nsRecords(query.name) });
};

/** A referral whose owner name is a compression pointer to itself. */
const compressionLoop = (query: FakeDnsQuery) => {
  const response = encodeResponse(query, {});
  const record = Buffer.from([0xc0, response.length, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0]);
  response.writeUInt16BE(1, 8);
  query.sendBytes(Buffer.concat([response, record]));
};

/** A message that announces more records than it contains. */
const missingRecords = (response: Buffer) => {
  response.writeUInt16BE(0xffff, 8);
  return response;
};

/** Sends the bytes of a message over TCP one at a time. */
function dripped(query: FakeDnsQuery): void {
  const bytes = withLength(delegation(query));
  const sendFrom = (index: number) => {
    if (index >= bytes.length) return;
    query.connection?.write(bytes.subarray(index, index + 1), () =>
      setImmediate(() => sendFrom(index + 1)),
    );
  };
  query.connection?.setNoDelay(true);
  sendFrom(0);
}

const closedHalfWay = (query: FakeDnsQuery) => {
  const bytes = withLength(delegation(query));
  query.connection?.end(bytes.subarray(0, bytes.length / 2));
};
const reset = (query: FakeDnsQuery) => void query.connection?.resetAndDestroy();

/** A server that does not know EDNS. */
const withoutEdns =
  (reject: (query: FakeDnsQuery) => void, answer: (query: FakeDnsQuery) => void = delegate) =>
  (query: FakeDnsQuery) =>
    (query.hasEdns ? reject : answer)(query);
const badVersion = send(() => ({
  additionals: [
    {
      type: 'OPT',
      name: '.',
      udpPayloadSize: 1232,
      extendedRcode: 1,
      ednsVersion: 0,
      flags: 0,
      flag_do: false,
      options: [],
    },
  ],
}));

const dsRecord = (name: string): Answer => ({
  type: 'DS',
  name,
  ttl: 900,
  data: { keyTag: 1, algorithm: 13, digestType: 2, digest: Buffer.alloc(32) },
});

/** Holds back the response to the first query until there is a second one. */
function late(): (query: FakeDnsQuery) => void {
  let first: FakeDnsQuery | undefined;
  return (query) => {
    if (first) first.sendBytes(delegation(first));
    else first = query;
  };
}

/** An error with the header only, as a server sends that cannot parse the query. */
const withoutQuestion =
  (rcode: number) =>
  ({ packet, sendBytes }: FakeDnsQuery) =>
    sendBytes(encodeResponse({ packet: { ...packet, questions: [] } }, { rcode }));

/** The answers to the query for one name. All other names are answered correctly. */
export const dnsFaults = {
  // Correct answers: they show that the table can fail.
  'a referral': { answer: 'delegated', result: 'REGISTERED' },
  // The parent zone may have no delegation of a zone that its servers have.
  'NS records of the child zone': { answer: 'child', result: 'has_records' },
  'an owner in another case': {
    answer: referralTo(({ name }) => name.toUpperCase()),
    result: 'REGISTERED',
  },
  NXDOMAIN: { answer: 'nxdomain', result: 'absent' },
  NODATA: { answer: 'nodata', result: 'has_records' },
  CNAME: { answer: 'cname', result: 'has_records' },
  'a referral that is sent twice': {
    answer: (query) => [delegate, delegate].forEach((sendOnce) => sendOnce(query)),
    result: 'REGISTERED',
  },
  'a referral of 4,000 bytes': {
    answer: send(({ name }) => ({
      authorities: nsRecords(name),
      additionals: [
        {
          type: 'TXT',
          name,
          data: [Buffer.alloc(255), ...Array<Buffer>(14).fill(Buffer.alloc(255))],
        },
      ],
    })),
    result: 'REGISTERED',
  },

  // Transport
  'truncated without records': { answer: truncated(delegate), result: 'REGISTERED' },
  'truncated with AA': {
    answer: (query) =>
      query.transport === 'tcp'
        ? delegate(query)
        : query.send({ flags: AUTHORITATIVE_ANSWER | TRUNCATED_RESPONSE }),
    result: 'REGISTERED',
  },
  'truncated with records': { answer: truncated(negative, nsRecords), result: 'absent' },
  'truncated over TCP too': {
    answer: send(({ name }) => ({ flags: TRUNCATED_RESPONSE, authorities: nsRecords(name) })),
    result: 'registry_error',
  },
  'TCP one byte at a time': { answer: truncated(dripped), result: 'REGISTERED' },
  'TCP closed half-way': { answer: truncated(closedHalfWay), result: 'registry_error' },
  'TCP reset': { answer: truncated(reset), result: 'registry_error' },
  'TCP without an answer': { answer: truncated(() => {}), result: 'registry_timeout' },
  'TCP with another ID': { answer: truncated(forged(otherId)), result: 'registry_error' },
  'TCP with another question': { answer: truncated(forged(otherName)), result: 'registry_error' },
  'TCP with an empty message': {
    answer: truncated((query) => query.sendBytes(Buffer.alloc(0))),
    result: 'registry_error',
  },
  silence: { answer: 'silent', result: 'registry_timeout' },
  'a late answer': { answer: late(), result: 'REGISTERED' },

  // Datagrams that are not the response
  'another ID': { answer: forged(otherId), result: 'registry_timeout' },
  'another ID, then the answer': { answer: racing(otherId), result: 'absent' },
  'another name': { answer: forged(otherName), result: 'registry_timeout' },
  'another name, then the answer': { answer: racing(otherName), result: 'absent' },
  'another type': { answer: forged(otherType), result: 'registry_timeout' },
  'another case over UDP only': {
    answer: (query) => (query.transport === 'udp' ? forged(otherCase) : negative)(query),
    result: 'absent',
  },
  'another case over TCP too': { answer: forged(otherCase), result: 'REGISTERED' },
  'a query instead of a response': { answer: forged(asQuery), result: 'registry_timeout' },
  'no bytes': { answer: (query) => query.sendBytes(Buffer.alloc(0)), result: 'registry_timeout' },
  'a header only': {
    answer: forged((response) => response.subarray(0, 12)),
    result: 'registry_timeout',
  },
  'half a response': {
    answer: forged((response) => response.subarray(0, response.length - 5)),
    result: 'registry_timeout',
  },
  garbage: { answer: forged(() => Buffer.alloc(100, 0xff)), result: 'registry_timeout' },
  'too few records': { answer: forged(missingRecords), result: 'registry_timeout' },
  'a compression loop': { answer: compressionLoop, result: 'registry_timeout' },

  // Responses that prove nothing
  'a referral of a sibling': {
    answer: referralTo(({ zone }) => `other.${zone}`),
    result: 'registry_error',
  },
  'a referral of a name below': {
    answer: referralTo(({ name }) => `www.${name}`),
    result: 'registry_error',
  },
  'a referral of a name with the same end': {
    answer: referralTo(({ name }) => `x${name}`),
    result: 'registry_error',
  },
  'a referral of the zone itself': {
    answer: referralTo(({ zone }) => zone),
    result: 'registry_error',
  },
  'an upward referral': { answer: referralTo(() => '.'), result: 'registry_error' },
  'referrals of two names': {
    answer: send(({ name, zone }) => ({ authorities: [...nsRecords(zone), ...nsRecords(name)] })),
    result: 'has_records',
  },
  'a referral of class CH': {
    answer: send(({ name }) => ({
      authorities: nsRecords(name).map((record) => ({ ...record, class: 'CH' }) as Answer),
    })),
    result: 'registry_error',
  },
  'DS without NS': {
    answer: send(({ name }) => ({ authorities: [dsRecord(name)] })),
    result: 'registry_error',
  },
  'NS of another name in the answer': {
    answer: send(({ zone }) => ({
      flags: AUTHORITATIVE_ANSWER,
      answers: nsRecords(`other.${zone}`),
    })),
    result: 'registry_error',
  },
  'NS in an answer that is not authoritative': {
    answer: send(({ name }) => ({ answers: nsRecords(name) })),
    result: 'has_records',
  },
  'an answer of a recursive resolver': {
    answer: send(({ name }) => ({ flags: RECURSION_AVAILABLE, authorities: nsRecords(name) })),
    result: 'registry_error',
  },
  'an address instead of NS': {
    answer: send(({ name }) => ({
      flags: AUTHORITATIVE_ANSWER,
      answers: [{ type: 'A', name, data: '192.0.2.1' }],
    })),
    result: 'registry_error',
  },
  REFUSED: { answer: 'refused', result: 'registry_error' },
  SERVFAIL: { answer: 'servfail', result: 'registry_error' },
  'REFUSED with a referral': {
    answer: send(({ name }) => ({ rcode: rcodes.refused, authorities: nsRecords(name) })),
    result: 'registry_error',
  },
  'an empty answer': { answer: send(() => ({})), result: 'registry_error' },
  'NXDOMAIN without SOA': {
    answer: send(() => ({ flags: AUTHORITATIVE_ANSWER, rcode: rcodes.nxDomain })),
    result: 'registry_error',
  },
  'NXDOMAIN with the SOA of another zone': {
    answer: send(() => ({
      flags: AUTHORITATIVE_ANSWER,
      rcode: rcodes.nxDomain,
      authorities: [soaRecord('zz')],
    })),
    result: 'registry_error',
  },
  'NXDOMAIN with the SOA of the name': {
    answer: send(({ name }) => ({
      flags: AUTHORITATIVE_ANSWER,
      rcode: rcodes.nxDomain,
      authorities: [soaRecord(name)],
    })),
    result: 'registry_error',
  },
  'NXDOMAIN that is not authoritative': {
    answer: send(({ zone }) => ({ rcode: rcodes.nxDomain, authorities: [soaRecord(zone)] })),
    result: 'registry_error',
  },
  'NXDOMAIN with a referral': {
    answer: send(({ name }) => ({ rcode: rcodes.nxDomain, authorities: nsRecords(name) })),
    result: 'registry_error',
  },
  'a referral with AA': {
    answer: send(({ name }) => ({ flags: AUTHORITATIVE_ANSWER, authorities: nsRecords(name) })),
    result: 'has_records',
  },
  'NODATA with the SOA of the name': {
    answer: send(({ name }) => ({ flags: AUTHORITATIVE_ANSWER, authorities: [soaRecord(name)] })),
    result: 'has_records',
  },
  'NODATA without SOA': {
    answer: send(() => ({ flags: AUTHORITATIVE_ANSWER })),
    result: 'registry_error',
  },

  // EDNS
  'FORMERR to OPT': {
    answer: withoutEdns(send(() => ({ rcode: rcodes.formErr }))),
    result: 'REGISTERED',
  },
  'NOTIMP to OPT': {
    answer: withoutEdns(
      send(() => ({ rcode: rcodes.notImp })),
      negative,
    ),
    result: 'absent',
  },
  'BADVERS to OPT': { answer: withoutEdns(badVersion), result: 'REGISTERED' },
  'FORMERR without the question': {
    answer: withoutEdns(withoutQuestion(rcodes.formErr)),
    result: 'REGISTERED',
  },
  'NOTIMP without the question': {
    answer: withoutEdns(withoutQuestion(rcodes.notImp), negative),
    result: 'absent',
  },
  'SERVFAIL without the question': {
    answer: withoutQuestion(rcodes.servFail),
    result: 'registry_error',
  },
  'REFUSED without the question': {
    answer: withoutQuestion(rcodes.refused),
    result: 'registry_error',
  },
  'no error without the question': { answer: withoutQuestion(0), result: 'registry_timeout' },
  'NXDOMAIN without the question': {
    answer: withoutQuestion(rcodes.nxDomain),
    result: 'registry_timeout',
  },
  BADCOOKIE: { answer: 'badCookie', result: 'registry_error' },
  'FORMERR with and without OPT': {
    answer: send(() => ({ rcode: rcodes.formErr })),
    result: 'registry_error',
  },
  'BADVERS with and without OPT': { answer: badVersion, result: 'registry_error' },
} as const satisfies Readonly<Record<string, DnsFault>>;
