import type { ScanFacts, TlsScan } from './describe-scan.ts';
import table from './findings.json' with { type: 'json' };
import {
  tlsSeverities,
  type TlsCertificate,
  type TlsFinding,
  type TlsVersion,
} from './tls-scan.ts';

type Severity = TlsFinding['severity'];

/** A summary of a scan, without a grade. */
export type TlsSummary = ReturnType<typeof summarizeTls>;

/** Returns the findings of a scan, by section. `now` is in epoch ms. */
export function tlsFindings(scan: ScanFacts, now: number): readonly TlsFinding[] {
  return [
    ...protocolFindings(scan),
    ...serverDefaults(scan),
    ...certificateFindings(scan, now),
    ...cipherFindings(scan),
    finding(`forward_secrecy/${scan.hasForwardSecrecy}`),
  ];
}

export function summarizeTls(scan: Pick<TlsScan, 'findings' | 'protocols' | 'supportsHttp2'>) {
  const countOf = (severity: Severity) =>
    scan.findings.filter((each) => each.severity === severity).length;
  const severityCounts = Object.fromEntries(
    tlsSeverities.map((severity) => [severity, countOf(severity)]),
  ) as Record<Severity, number>;
  const protocolsOffered = scan.protocols
    .filter(({ isOffered }) => isOffered)
    .map(({ version }) => version);

  return {
    severityCounts,
    /** Number of findings above `info`. */
    actionableFindings: scan.findings.length - severityCounts.info - severityCounts.ok,
    protocolsOffered,
    deprecatedProtocols: protocolsOffered.filter(isDeprecated),
    supportsTls13: scan.protocols.find(({ version }) => version === 'TLSv1.3')?.isOffered ?? null,
    supportsHttp2: scan.supportsHttp2,
  };
}

/** Returns whether RFC 8996 deprecates a version. */
function isDeprecated(version: TlsVersion): boolean {
  return version === 'TLSv1' || version === 'TLSv1.1';
}

type Sections = typeof table.findings;
/** The id of a finding, followed by a state if it has several texts. */
type FindingKey = { [S in keyof Sections]: keyof Sections[S] & string }[keyof Sections];

const findingsByKey: ReadonlyMap<string, TlsFinding> = new Map(
  Object.entries(table.findings).flatMap(([section, texts]) =>
    Object.entries(texts).map(([key, [severity, text]]) => [
      key,
      { id: key.replace(/\/.*/, ''), section, severity, finding: text } as TlsFinding,
    ]),
  ),
);

/** Returns a finding of the table, with values for the placeholders of its text. */
function finding(
  key: FindingKey,
  values: Readonly<Record<string, string | number | null>> = {},
): TlsFinding {
  const found = findingsByKey.get(key) as TlsFinding;
  const text = found.finding.replaceAll(/\{(\w+)\}/g, (_all, name: string) => `${values[name]}`);
  return { ...found, finding: text };
}

function protocolFindings({ protocols }: ScanFacts): readonly TlsFinding[] {
  return protocols.map(({ version, isOffered }) => {
    const name = version === 'TLSv1' ? 'TLS 1.0' : version.replace('TLSv', 'TLS ');
    const id = name.toLowerCase().replaceAll(/[ .]/g, '_');
    return { ...finding(`protocol/${protocolState(version, isOffered)}`, { name }), id };
  });
}

function protocolState(version: TlsVersion, isOffered: boolean | null) {
  if (isOffered === null) return 'unknown';
  if (isDeprecated(version)) return isOffered ? 'deprecated' : 'absent';
  if (isOffered) return 'offered';
  return version === 'TLSv1.3' ? 'outdated' : 'missing';
}

function serverDefaults(scan: ScanFacts): readonly TlsFinding[] {
  const { defaultProtocol: protocol, defaultCipher, supportsHttp2, hasOcspStaple } = scan;
  return [
    protocol
      ? finding('default_connection/known', { protocol, cipher: defaultCipher ?? 'no cipher' })
      : finding('default_connection/unknown'),
    finding(`http2/${supportsHttp2}`),
    finding(`ocsp_staple/${hasOcspStaple}`),
  ];
}

function certificateFindings(scan: ScanFacts, now: number): readonly TlsFinding[] {
  const { host, matchesHost } = scan;
  const [certificate] = scan.certificates;
  if (!certificate) return [finding('no_certificate')];

  const own = [
    validityFinding(certificate, now),
    finding(matchesHost ? 'certificate_name' : 'certificate_wrong_name', { host }),
  ];

  return [...own, ...trustFindings(scan, own), ...strengthFindings(certificate)];
}

const dayMs = 24 * 60 * 60 * 1000;

function validityFinding({ notBefore, notAfter }: TlsCertificate, now: number): TlsFinding {
  if (notBefore === null || notAfter === null) return finding('certificate_dates_unreadable');

  const end = new Date(notAfter).toISOString();
  if (notAfter < now) return finding('certificate_expired', { end });
  if (notBefore > now)
    return finding('certificate_not_yet_valid', { start: new Date(notBefore).toISOString() });

  const left = notAfter - now;
  const count = Math.floor(left / dayMs);
  const days = `${count} ${count === 1 ? 'day' : 'days'}`;
  if (left >= 30 * dayMs) return finding('certificate_validity', { end, days });

  return left < 14 * dayMs
    ? finding('certificate_expires_soon/within_two_weeks', { end, days })
    : finding('certificate_expires_soon', { end, days });
}

/** NIST SP 800-57 part 1 section 5.6.1: 112 bits of security. */
const minKeySizes: Readonly<Record<string, number>> = {
  rsa: 2048,
  'rsa-pss': 2048,
  dsa: 2048,
  ec: 224,
};

function strengthFindings(certificate: TlsCertificate): readonly TlsFinding[] {
  const { keyType: type, keySize: size, signatureAlgorithm: algorithm } = certificate;
  const minSize = type === null ? undefined : minKeySizes[type];
  const isWeak = minSize !== undefined && size !== null && size < minSize;
  const isObsolete = /sha1|md5/i.test((algorithm ?? '').replaceAll('-', ''));

  return [
    ...(isWeak ? [finding('certificate_weak_key', { type, size, minSize })] : []),
    ...(isObsolete ? [finding('certificate_weak_signature', { algorithm })] : []),
  ];
}

/** The findings by OpenSSL's reason, which concerns any certificate of the chain. */
const findingsByReason = new Map(Object.entries(table.reasons));

/** The findings about the server's own certificate that state a reason already. */
const ownFindings = new Map(Object.entries(table.ownReasons));

/**
 * Returns the finding about the trust in a certificate; none if one of `own`, the findings about the
 * server's own certificate, states the reason.
 */
function trustFindings(
  { isTrusted, trustError: reason }: ScanFacts,
  own: readonly TlsFinding[],
): readonly TlsFinding[] {
  if (isTrusted === null) return [finding('certificate_trust_unknown')];
  if (reason === null) return [finding('certificate_trusted')];
  if (own.some(({ id }) => id === ownFindings.get(reason))) return [];
  const key = findingsByReason.get(reason) ?? 'certificate_not_accepted';
  return [finding(key as FindingKey, { reason })];
}

function cipherFindings({ cipherCategories }: ScanFacts): readonly TlsFinding[] {
  return cipherCategories.map(({ id: category, isOffered }) => {
    const [severity, name] = table.ciphers[category] as [Severity, string];
    const id = `ciphers_${category}`;
    if (isOffered === null) return { ...finding('ciphers/unknown', { name }), id };
    if (isOffered) return { ...finding('ciphers/offered', { name }), id, severity };

    // A server that only offers TLS 1.3 has no AEAD cipher of older protocols.
    const absent = finding('ciphers/absent', { name });
    return { ...absent, id, severity: category === 'aead' ? 'info' : 'ok' };
  });
}
