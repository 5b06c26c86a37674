import { createHash } from 'node:crypto';
import { Problem } from '../../domain/problems.ts';
import type { CertificateList } from '../certificates/certificate-list.ts';
import type { DnsRecords } from '../dns/dns-records.ts';
import type { SiteQuery } from '../site-facts.ts';
import { filled } from '../../shared/template.ts';
import { describeScan, type TlsScan } from '../tls/describe-scan.ts';
import type { Handshake, HandshakeResult } from '../tls/handshake.ts';
import { cipherProbes } from '../tls/probes.ts';
import { tlsFindings } from '../tls/tls-findings.ts';
import { tlsVersions, type TlsCertificate, type TlsVersion } from '../tls/tls-scan.ts';
import table from './example-facts.json' with { type: 'json' };
import { certificateErrors, siteOf, type SandboxSite } from './sandbox-site.ts';

// The facts about sites of the sandbox that are not read from its responses.

const dayMs = 24 * 60 * 60 * 1000;
const hosts = ['mail', 'shop'];

/** Returns the DNS records of a host. Those of a name with `www.` are those of its alias. */
export function sandboxRecords({ target: { host } }: SiteQuery): DnsRecords {
  const [label = '', ...parents] = host.split('.');
  const parent = parents.join('.');
  const site = siteOf(host);
  if (site) {
    const { domain, isWww } = site;
    const cname = isWww ? [domain] : [];
    return filled(table.records, { domain, cname, ...addressesOf(domain) });
  }

  return hosts.includes(label) && siteOf(parent)?.domain === parent
    ? { ...table.noRecords, exists: true, ...addressesOf(parent) }
    : table.noRecords;
}

/** Returns addresses of the documentation ranges (RFC 5737, RFC 3849), the same for a name. */
function addressesOf(domain: string): Pick<DnsRecords, 'a' | 'aaaa'> {
  const [first = 0, second = 0] = createHash('sha256').update(domain).digest();
  const ipv6 = new URL(`http://[2001:db8:0:0:0:0:${first.toString(16)}:${second.toString(16)}]`);
  return { a: [`192.0.2.${1 + (first % 254)}`], aaaa: [ipv6.hostname.slice(1, -1)] };
}

/** Returns the certificates that logs have of a name and the names under it. */
export function sandboxCertificates({ target: { host } }: SiteQuery, now: number): CertificateList {
  const { domain = '' } = siteOf(host) ?? {};
  const today = Math.floor(now / dayMs) * dayMs;
  const logged = filled<typeof table.logged>(table.logged, { domain }).map(
    ({ id, names, ageDays }) => {
      const notBefore = today - ageDays * dayMs;
      return {
        id,
        issuer: 'C=GB, O=Sandbox CA',
        commonName: names[0] ?? null,
        names,
        notBefore,
        notAfter: notBefore + 90 * dayMs,
        loggedAt: notBefore + 60_000,
        fingerprintSha256: null,
      };
    },
  );
  const certificates = logged.filter(({ names }) =>
    names.some((name) => name === host || name.endsWith(`.${host}`)),
  );

  return { source: 'sandbox', certificates: domain ? certificates : [], isTruncated: false };
}

/** Returns what the server of a host offers over TLS. Throws `site_unreachable` without a server. */
export function sandboxScan(
  { target: { host }, profile = 'standard' }: SiteQuery,
  now: number,
): TlsScan {
  const site = siteOf(host);
  if (!site || site.behaviour === 'http')
    throw new Problem('site_unreachable', `${host} has no server at port 443.`);

  const isOld = site.behaviour === 'tls10';
  const handshake = handshakeOf(site, now);
  const offers = (isOffered: boolean): HandshakeResult => (isOffered ? handshake : rejected);
  const ciphers = profile === 'full' ? cipherProbes() : undefined;
  const results = {
    host,
    profile,
    address: null,
    first: handshake,
    protocols: tlsVersions.map(
      (version) => [version, offers(isOld ? version === 'TLSv1' : version >= 'TLSv1.2')] as const,
    ),
    http2: rejected,
    ciphers: ciphers?.probes.map(([id]) => {
      const isOffered = ['static_rsa', 'cbc'].includes(id) || (id === 'aead' && !isOld);
      return [id, offers(isOffered)] as const;
    }),
    impossibleCiphers: ciphers?.impossible ?? [],
  };
  const scan = describeScan(results, handshake, 0);

  return { ...scan, findings: tlsFindings(scan, now) };
}

const rejected = { reason: 'rejected', isConnected: true, code: '' } as const;

function handshakeOf(site: SandboxSite, now: number): Handshake {
  const { behaviour } = site;
  const trustError = certificateErrors[behaviour] ?? null;
  const { protocol, ...defaults } = table.defaults[behaviour === 'tls10' ? 'tls10' : 'others'];

  return {
    ...defaults,
    protocol: protocol as TlsVersion,
    needsClientCertificate: false,
    certificates: [certificateOf(site, now)],
    matchesHost: behaviour !== 'wrong-name',
    isTrusted: trustError === null,
    trustError,
    alpn: null,
    hasOcspStaple: false,
  };
}

function certificateOf({ domain, behaviour }: SandboxSite, now: number): TlsCertificate {
  const names = behaviour === 'wrong-name' ? ['other.test'] : [domain, `www.${domain}`];
  const [subject] = names;

  // All scans of a day see the same certificate, which has 29 whole days left.
  const issued = (Math.ceil(now / dayMs) - 1) * dayMs;
  const hash = createHash('sha256').update(domain).digest('hex');

  return filled(table.certificate, {
    subject,
    issuer: behaviour === 'self-signed' ? subject : 'Sandbox CA',
    names,
    serial: hash.slice(1, 32),
    notBefore: issued - 60 * dayMs,
    notAfter: issued + (behaviour === 'expired' ? -10 : 30) * dayMs,
    hash,
  });
}
