import { certificateFindings } from './tls-certificate-findings.ts';
import {
  tlsSeverities,
  type TlsCipherCategoryId,
  type TlsFinding,
  type TlsScan,
  type TlsVersion,
} from './tls-scan.ts';

type ScanFacts = Omit<TlsScan, 'findings'>;
type Severity = TlsFinding['severity'];

/** A summary of a scan, without a grade. */
export interface TlsSummary {
  /** By severity; every severity is present. */
  readonly severityCounts: Readonly<Record<Severity, number>>;
  /** The number of findings with a severity above `info`. */
  readonly actionableFindings: number;
  readonly protocolsOffered: readonly TlsVersion[];
  /** Those that are offered although RFC 8996 deprecates them. */
  readonly deprecatedProtocols: readonly TlsVersion[];
  /** Null if the probe failed. */
  readonly supportsTls13: boolean | null;
  /** Null if that is unknown. */
  readonly supportsHttp2: boolean | null;
}

/** Returns the findings of a scan, by section. `now` is in epoch ms. */
export function tlsFindings(scan: ScanFacts, now: number): readonly TlsFinding[] {
  return [
    ...protocolFindings(scan),
    ...serverDefaults(scan),
    ...certificateFindings(scan, now),
    ...cipherFindings(scan),
    forwardSecrecy(scan),
  ];
}

/** Summarizes the findings of a scan. */
export function summarizeTls(
  scan: Pick<TlsScan, 'findings' | 'protocols' | 'supportsHttp2'>,
): TlsSummary {
  const countOf = (severity: Severity) =>
    scan.findings.filter((finding) => finding.severity === severity).length;
  const severityCounts = Object.fromEntries(
    tlsSeverities.map((severity) => [severity, countOf(severity)]),
  ) as Record<Severity, number>;
  const protocolsOffered = scan.protocols
    .filter(({ isOffered }) => isOffered)
    .map(({ version }) => version);
  return {
    severityCounts,
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

function protocolFindings({ protocols }: ScanFacts): readonly TlsFinding[] {
  return protocols.map(({ version, isOffered }) => {
    const name = version === 'TLSv1' ? 'TLS 1.0' : version.replace('TLSv', 'TLS ');
    const id = name.toLowerCase().replaceAll(/[ .]/g, '_');
    const section = 'protocols';
    if (isOffered === null)
      return { id, section, severity: 'info', finding: `Whether ${name} is offered is unknown.` };
    if (isDeprecated(version))
      return isOffered
        ? { id, section, severity: 'high', finding: `${name} is offered; RFC 8996 deprecates it.` }
        : { id, section, severity: 'ok', finding: `${name} is not offered.` };
    if (isOffered) return { id, section, severity: 'ok', finding: `${name} is offered.` };
    const severity = version === 'TLSv1.3' ? 'low' : 'info';
    return { id, section, severity, finding: `${name} is not offered.` };
  });
}

function serverDefaults(scan: ScanFacts): readonly TlsFinding[] {
  const section = 'server_defaults';
  const { defaultProtocol, defaultCipher, supportsHttp2, hasOcspStaple } = scan;
  const http2 = { true: 'is offered', false: 'is not offered', null: 'may be offered; unknown' };
  return [
    {
      id: 'default_connection',
      section,
      severity: 'info',
      finding: defaultProtocol
        ? `By default, the server selects ${defaultProtocol} with ${defaultCipher ?? 'no cipher'}.`
        : 'What the server selects by default is unknown.',
    },
    {
      id: 'http2',
      section,
      severity: supportsHttp2 ? 'ok' : 'info',
      finding: `HTTP/2 ${http2[`${supportsHttp2}`]}.`,
    },
    {
      id: 'ocsp_staple',
      section,
      severity: 'info',
      finding: `The server staples ${hasOcspStaple ? 'an' : 'no'} OCSP response.`,
    },
  ];
}

const cipherRules: Readonly<Record<TlsCipherCategoryId, readonly [Severity, string]>> = {
  null: ['critical', 'Ciphers without encryption'],
  anonymous: ['critical', 'Ciphers without authentication of the server'],
  export_or_low: ['critical', 'Export ciphers or ciphers with short keys'],
  rc4: ['high', 'RC4 ciphers, which RFC 7465 prohibits,'],
  triple_des: ['medium', '3DES ciphers'],
  static_rsa: ['medium', 'Ciphers with RSA key transport, without forward secrecy,'],
  cbc: ['low', 'CBC ciphers'],
  aead: ['ok', 'AEAD ciphers of TLS 1.2 and older'],
};

function cipherFindings({ cipherCategories }: ScanFacts): readonly TlsFinding[] {
  return cipherCategories.map(({ id, isOffered }) => {
    const [severity, name] = cipherRules[id];
    const base = { id: `ciphers_${id}`, section: 'cipher_categories' } as const;
    if (isOffered === null)
      return { ...base, severity: 'info', finding: `${name} may be offered; the probe failed.` };
    if (isOffered) return { ...base, severity, finding: `${name} are offered.` };
    // A server that only offers TLS 1.3 has no AEAD cipher of older protocols.
    return {
      ...base,
      severity: id === 'aead' ? 'info' : 'ok',
      finding: `${name} are not offered.`,
    };
  });
}

function forwardSecrecy({ hasForwardSecrecy }: ScanFacts): TlsFinding {
  const base = { id: 'forward_secrecy', section: 'forward_secrecy' } as const;
  if (hasForwardSecrecy === null) {
    const finding = 'Whether every protocol has forward secrecy is unknown: a probe failed.';
    return { ...base, severity: 'info', finding };
  }
  return {
    ...base,
    severity: hasForwardSecrecy ? 'ok' : 'medium',
    finding: hasForwardSecrecy
      ? 'Every protocol that is offered selects a key exchange with forward secrecy.'
      : 'A protocol that is offered selects a key exchange without forward secrecy.',
  };
}
