import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { AUTHORITATIVE_ANSWER, decode, encode, type Packet, type Question } from 'dns-packet';
import {
  contradictedSuffix,
  dasSuffix,
  dnsSuffix,
  whoisControlName,
  whoisSuffix,
} from './names.ts';

/** Starts a name server of the sandbox zones on a free UDP port of the loopback interface. */
export async function startSandboxDns() {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  let isOpen = true;

  socket.on('message', (message, { port, address }) => {
    const reply = replyTo(message);
    if (reply && isOpen) socket.send(reply, port, address);
  });

  return {
    port: socket.address().port,
    /** May be called twice. */
    async close(): Promise<void> {
      if (!isOpen) return;
      isOpen = false;
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** Returns the response to a query; undefined if there is none. */
function replyTo(message: Buffer): Buffer | undefined {
  const query = readQuery(message);
  const question = query?.questions?.[0];
  if (!query || !question) return undefined;

  const answer = delegationAnswer(question);
  return (
    answer && encode({ type: 'response', id: query.id ?? 0, questions: [question], ...answer })
  );
}

function readQuery(message: Buffer): Packet | undefined {
  try {
    return decode(message);
  } catch {
    return undefined; // not a DNS message
  }
}

const ttlSeconds = 10;
/** The `rcode` in the header flags (RFC 1035 section 4.1.1). */
const serverFailure = 2;
const nameError = 3;
const refused = 5;

/** Returns the records and flags of the response; undefined for a name without a response. */
function delegationAnswer({ name }: Question): Packet | undefined {
  const owner = name.toLowerCase();
  const zone = zones.find((each) => owner.endsWith(`.${each}`));
  if (zone === undefined) return { flags: refused };

  switch (delegationOf(owner)) {
    case 'delegated':
      return { authorities: [{ type: 'NS', name: owner, ttl: ttlSeconds, data: `ns1.${owner}` }] };
    case 'failure':
      return { flags: serverFailure };
    case 'none':
      return undefined;
    case 'absent':
      return { flags: AUTHORITATIVE_ANSWER | nameError, authorities: [startOfAuthority(zone)] };
  }
}

function startOfAuthority(zone: string) {
  const times = { serial: 1, refresh: 3600, retry: 600, expire: 86_400, minimum: ttlSeconds };
  return {
    type: 'SOA' as const,
    name: zone,
    ttl: ttlSeconds,
    data: { mname: `ns1.${zone}`, rname: `hostmaster.${zone}`, ...times },
  };
}

const zones = [dnsSuffix, dasSuffix, whoisSuffix, contradictedSuffix];

/** Returns the answer for a lower-case name in one of the zones, by the prefix of its label. */
function delegationOf(name: string): 'delegated' | 'absent' | 'failure' | 'none' {
  // The names of these suffixes are answered by the service of the registry alone.
  if (name.endsWith(`.${dasSuffix}`)) return 'absent';
  if (name.endsWith(`.${whoisSuffix}`)) return name === whoisControlName ? 'delegated' : 'absent';
  if (name.startsWith('taken')) return 'delegated';
  if (name.startsWith('down')) return 'failure';
  return name.startsWith('hang') ? 'none' : 'absent';
}
