import {
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  type Answer,
  type Packet,
  type Question,
} from 'dns-packet';
import { startUdpServer, type SandboxDns } from './dns-server.ts';
import { createHash } from 'node:crypto';
import { siteOf } from './names.ts';

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

const ttl = 300;
const hosts = ['mail', 'shop'];

/** Returns the DNS records of a lower-case name; undefined if it does not exist. */
function recordsOf(name: string): readonly Answer[] | undefined {
  const [label = '', ...parents] = name.split('.');
  const parent = parents.join('.');
  if (label === '_for-sale') return saleRecords(name, parent);
  const site = siteOf(name);
  if (site?.isWww) return [{ type: 'CNAME', name, ttl, data: site.domain }];
  if (site) return apexRecords(name);
  return hosts.includes(label) && siteOf(parent)?.domain === parent
    ? addresses(name, parent)
    : undefined;
}

/** Returns addresses of the documentation ranges (RFC 5737, RFC 3849), the same for a name. */
function addresses(name: string, domain: string): Answer[] {
  const [first = 0, second = 0] = createHash('sha256').update(domain).digest();
  return [
    { type: 'A', name, ttl, data: `192.0.2.${1 + (first % 254)}` },
    { type: 'AAAA', name, ttl, data: `2001:db8::${first.toString(16)}:${second.toString(16)}` },
  ];
}

function apexRecords(name: string): Answer[] {
  const authority = {
    mname: 'ns1.example-dns.test',
    rname: 'hostmaster.example-dns.test',
    serial: 2026010101,
    refresh: 7200,
    retry: 3600,
    expire: 1_209_600,
    minimum: 300,
  };
  return [
    ...addresses(name, name),
    { type: 'MX', name, ttl, data: { preference: 10, exchange: `mail.${name}` } },
    { type: 'NS', name, ttl, data: 'ns1.example-dns.test' },
    { type: 'NS', name, ttl, data: 'ns2.example-dns.test' },
    { type: 'TXT', name, ttl, data: ['v=spf1 mx -all'] },
    { type: 'CAA', name, ttl, data: { flags: 0, tag: 'issue', value: 'ca.example-dns.test' } },
    { type: 'SOA', name, ttl, data: authority },
  ];
}

/** Returns the offers of sale (RFC 10023) of names that start with `taken-for-sale`. */
function saleRecords(name: string, domain: string): readonly Answer[] | undefined {
  if (!domain.startsWith('taken-for-sale') || !siteOf(domain)) return undefined;
  const contents = [
    'ftxt=An example of the sandbox. This name is not for sale.',
    `furi=https://${domain}/`,
    'fval=EUR999',
  ];
  return contents.map((content) => ({ type: 'TXT', name, ttl, data: [`v=FORSALE1;${content}`] }));
}
