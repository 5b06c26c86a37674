import {
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  type Answer,
  type Packet,
  type Question,
} from 'dns-packet';
import { startUdpServer, type SandboxDns } from './udp-server.ts';
import { recordsOf } from './site-records.ts';

const flags = RECURSION_DESIRED | RECURSION_AVAILABLE;
/** The `rcode` NXDOMAIN in the header flags (RFC 1035 section 4.1.1). */
const nameError = 3;

/**
 * Starts a resolver on a free UDP port of the loopback interface. It has records for the names under
 * `.test` with a site, and NXDOMAIN for all others.
 */
export function startSandboxResolver(): Promise<SandboxDns> {
  return startUdpServer(answerTo);
}

function answerTo({ name, type }: Question): Packet {
  const records = recordsOf(name.toLowerCase());
  if (!records) return { flags: flags | nameError };
  return { flags, answers: followed(records, type) };
}

/** Returns the records of a type, after the alias that the name may be. */
function followed(records: readonly Answer[], type: string | undefined): Answer[] {
  const alias = records.find((record) => record.type === 'CNAME');
  const target = alias && 'data' in alias ? recordsOf(String(alias.data)) : undefined;
  const own = records.filter((record) => record.type === type);
  if (!alias || type === 'CNAME') return own;
  return [alias, ...(target ?? []).filter((record) => record.type === type)];
}
