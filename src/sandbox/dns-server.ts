import { AUTHORITATIVE_ANSWER, type Packet, type Question } from 'dns-packet';
import { startUdpServer, type SandboxDns } from './udp-server.ts';
import {
  contradictedSuffix,
  dasSuffix,
  dnsSuffix,
  whoisControlName,
  whoisSuffix,
} from './suffixes.ts';

const ttlSeconds = 10;
/** The `rcode` in the header flags (RFC 1035 section 4.1.1). */
const serverFailure = 2;
const nameError = 3;
const refused = 5;

/** Starts a name server of the sandbox zones on a free UDP port of the loopback interface. */
export function startSandboxDns(): Promise<SandboxDns> {
  return startUdpServer(answerTo);
}

/** Returns the records and flags of the response; undefined for a name without a response. */
function answerTo({ name }: Question): Packet | undefined {
  const owner = name.toLowerCase();
  const zone = sandboxZoneOf(owner);
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

/**
 * What the name server of the sandbox answers: a delegation, NXDOMAIN, SERVFAIL or nothing at all.
 */
type SandboxDelegation = 'delegated' | 'absent' | 'failure' | 'none';

const zones = [dnsSuffix, dasSuffix, whoisSuffix, contradictedSuffix];

/** Returns the zone of a lower-case name; undefined if the sandbox has none for it. */
function sandboxZoneOf(name: string): string | undefined {
  return zones.find((zone) => name.endsWith(`.${zone}`));
}

/** Returns the answer for a lower-case name in one of the zones, by the prefix of its label. */
function delegationOf(name: string): SandboxDelegation {
  // The names of these suffixes are answered by the service of the registry alone.
  if (name.endsWith(`.${dasSuffix}`)) return 'absent';
  if (name.endsWith(`.${whoisSuffix}`)) return name === whoisControlName ? 'delegated' : 'absent';
  if (name.startsWith('taken')) return 'delegated';
  if (name.startsWith('down')) return 'failure';
  return name.startsWith('hang') ? 'none' : 'absent';
}
