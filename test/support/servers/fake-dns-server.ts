import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import {
  AUTHORITATIVE_ANSWER,
  TRUNCATED_RESPONSE,
  decode,
  encode,
  type Answer,
  type DecodedPacket,
  type Packet,
} from 'dns-packet';

/** What a server answers, or a function that sends something else. */
export type FakeDnsAnswer = keyof typeof answers | ((query: FakeDnsQuery) => void);

/** Returns the answer for a name, in lower case. */
export type DnsAnswerOf = (name: string, type: string, transport: 'udp' | 'tcp') => FakeDnsAnswer;

/** A query that a server has received. */
export interface FakeDnsQuery {
  readonly packet: DecodedPacket;
  /** As received, in random case. */
  readonly spelledName: string;
  readonly name: string;
  readonly type: string;
  /** The zone above the name. */
  readonly zone: string;
  readonly hasEdns: boolean;
  readonly transport: 'udp' | 'tcp';
  /** The port of the client. */
  readonly port: number;
  /** The connection of a query over TCP. */
  readonly connection?: Socket;
  /** Sends bytes as one datagram, or as one message with its length. */
  sendBytes(message: Uint8Array): void;
  /** Sends a response with the ID and the question of the query, unless they are replaced. */
  send(parts: Partial<Packet> & { readonly rcode?: number }): void;
}

type ReceivedQuery = Pick<FakeDnsQuery, 'name' | 'type' | 'transport' | 'hasEdns'>;

export interface FakeDnsServer extends AsyncDisposable {
  readonly address: string;
  readonly port: number;
  /** The received queries, in order. */
  readonly queries: readonly ReceivedQuery[];
  /** Returns how often a name was queried over both transports. */
  queryCount(name: string): number;
}

/** Response codes. */
export const rcodes = { formErr: 1, servFail: 2, nxDomain: 3, notImp: 4, refused: 5 } as const;
const badCookie = 23;

/**
 * Starts an authoritative server for every zone, on one port for UDP and TCP. By default, no name
 * exists.
 */
export async function startFakeDnsServer(
  answerOf: DnsAnswerOf = () => 'nxdomain',
  address = '127.0.0.1',
): Promise<FakeDnsServer> {
  const queries: ReceivedQuery[] = [];
  const answer = (query: FakeDnsQuery) => {
    const { name, type, transport, hasEdns } = query;
    queries.push({ name, type, transport, hasEdns });
    const chosen = hasClientCookie(query.packet)
      ? 'badCookie'
      : answerOf(query.name, query.type, query.transport);
    (typeof chosen === 'function' ? chosen : answers[chosen])(query);
  };
  const { udp, tcp, port } = await bind(address);
  const connections = new Set<Socket>();
  udp.on('message', (message, { port: sender, address: from }) => {
    const sendBytes = (bytes: Uint8Array) => {
      // A late answer may be sent after the test has ended.
      if (isOpen) udp.send(bytes, sender, from);
    };
    answer({ ...queryOf(message, sendBytes), transport: 'udp', port: sender });
  });
  let isOpen = true;
  tcp.on('connection', (connection) => {
    connections.add(connection);
    connection.on('error', () => {}).on('close', () => connections.delete(connection));
    onTcpMessage(connection, (message) => {
      const sendBytes = (bytes: Uint8Array) => void connection.write(withLength(bytes));
      const { remotePort: sender = 0 } = connection;
      answer({ ...queryOf(message, sendBytes), transport: 'tcp', port: sender, connection });
    });
  });
  return {
    address,
    port,
    queries,
    queryCount: (name) => queries.filter((query) => query.name === name).length,
    async [Symbol.asyncDispose]() {
      isOpen = false;
      for (const connection of connections) connection.destroy();
      udp.close();
      tcp.close();
      await once(tcp, 'close');
    },
  };
}

/** The NS records of a zone or name. */
export function nsRecords(owner: string): Answer[] {
  return ['ns1', 'ns2'].map((host) => ({
    type: 'NS',
    name: owner,
    ttl: 3600,
    data: `${host}.example.net`,
  }));
}

export function soaRecord(zone: string): Answer {
  const data = { mname: `ns1.${zone}`, rname: `hostmaster.${zone}`, serial: 1, minimum: 900 };
  return { type: 'SOA', name: zone, ttl: 900, data };
}

/** The message with a length in front, as it is sent over TCP. */
export function withLength(message: Uint8Array): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

/** Encodes a response to a query. */
export function encodeResponse(
  { packet }: Pick<FakeDnsQuery, 'packet'>,
  { rcode = 0, flags = 0, ...parts }: Partial<Packet> & { readonly rcode?: number },
): Buffer {
  const { id, questions } = packet;
  return encode({ id, questions, type: 'response', flags: flags | rcode, ...parts });
}

/**
 * Answers over UDP as a server with response rate limiting (RRL) does: those about names that do not
 * exist count per zone, those about each other name on their own. Answers over the limit are dropped,
 * or truncated. TCP is exempt.
 */
export function rateLimited(
  answerOf: DnsAnswerOf,
  excess: 'silent' | 'truncated',
  maxAnswers = 2,
): DnsAnswerOf {
  const counts = new Map<string, number>();
  return (name, type, transport) => {
    const answer = answerOf(name, type, transport);
    if (transport === 'tcp') return answer;
    const account = answer === 'nxdomain' ? name.slice(name.indexOf('.')) : name;
    const count = (counts.get(account) ?? 0) + 1;
    counts.set(account, count);
    return count > maxAnswers ? excess : answer;
  };
}

/** BIND writes owner names as the zone file does, whatever the case of the query. */
const asInZoneFile = (name: string) => name.replace(/^[a-z]/, (letter) => letter.toUpperCase());

/** A client that sends a cookie must repeat the query with that of the server (RFC 7873). */
function hasClientCookie({ additionals = [] }: DecodedPacket): boolean {
  return additionals.some(
    (record) =>
      record.type === 'OPT' && record.options.some(({ code }) => Number(code) === cookieOption),
  );
}

const cookieOption = 10;

const answers = {
  delegated: (query: FakeDnsQuery) =>
    query.send({ authorities: nsRecords(asInZoneFile(query.name)) }),
  /** The server also serves the delegated zone. */
  child: (query: FakeDnsQuery) =>
    query.send({ flags: AUTHORITATIVE_ANSWER, answers: nsRecords(query.name) }),
  nxdomain: (query: FakeDnsQuery) =>
    query.send({
      flags: AUTHORITATIVE_ANSWER,
      rcode: rcodes.nxDomain,
      authorities: [soaRecord(asInZoneFile(query.zone))],
    }),
  nodata: (query: FakeDnsQuery) =>
    query.send({ flags: AUTHORITATIVE_ANSWER, authorities: [soaRecord(query.zone)] }),
  cname: (query: FakeDnsQuery) =>
    query.send({
      flags: AUTHORITATIVE_ANSWER,
      answers: [{ type: 'CNAME', name: query.name, data: 'parking.example.net' }],
    }),
  refused: (query: FakeDnsQuery) => query.send({ rcode: rcodes.refused }),
  servfail: (query: FakeDnsQuery) => query.send({ rcode: rcodes.servFail }),
  silent: () => {},
  /** BIND and Knot also set AA on answers that they truncate to limit their rate. */
  truncated: (query: FakeDnsQuery) =>
    query.send({ flags: AUTHORITATIVE_ANSWER | TRUNCATED_RESPONSE }),
  badCookie: (query: FakeDnsQuery) =>
    query.send({
      rcode: badCookie & 0xf,
      additionals: [
        {
          type: 'OPT',
          name: '.',
          udpPayloadSize: 1232,
          extendedRcode: badCookie >> 4,
          ednsVersion: 0,
          flags: 0,
          flag_do: false,
          options: [],
        },
      ],
    }),
};

function queryOf(
  message: Buffer,
  sendBytes: (bytes: Uint8Array) => void,
): Omit<FakeDnsQuery, 'transport' | 'port'> {
  const packet = decode(message);
  const { name: spelledName = '', type = 'NS' } = packet.questions?.[0] ?? {};
  const name = spelledName.toLowerCase();
  return {
    packet,
    spelledName,
    name,
    type,
    zone: name.slice(name.indexOf('.') + 1),
    hasEdns: packet.additionals?.some((record) => record.type === 'OPT') === true,
    sendBytes,
    send: (parts) => sendBytes(encodeResponse({ packet }, parts)),
  };
}

function onTcpMessage(connection: Socket, onMessage: (message: Buffer) => void): void {
  let received: Buffer = Buffer.alloc(0);
  connection.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      onMessage(received.subarray(2, end));
      received = received.subarray(end);
    }
  });
}

/** Opens both sockets on one port; another one if the port is in use for UDP. */
async function bind(address: string): Promise<{ udp: UdpSocket; tcp: Server; port: number }> {
  const tcp = createServer().listen(0, address);
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  try {
    udp.bind(port, address);
    await once(udp, 'listening');
    return { udp, tcp, port };
  } catch {
    udp.close();
    tcp.close();
    return bind(address);
  }
}
