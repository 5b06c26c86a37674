import type { TlsCertificate, TlsFinding, TlsScan } from './tls-scan.ts';

type ScanFacts = Pick<
  TlsScan,
  'certificates' | 'host' | 'matchesHost' | 'isTrusted' | 'trustError'
>;

const dayMs = 24 * 60 * 60 * 1000;

/** Returns the findings about the certificates of a server. `now` is in epoch ms. */
export function certificateFindings(scan: ScanFacts, now: number): readonly TlsFinding[] {
  const [certificate] = scan.certificates;
  const statements = certificate ? statementsOn(certificate, scan, now) : [noCertificate];
  return statements.map((statement) => ({ ...statement, section: 'server_defaults' }));
}

const noCertificate: CertificateStatement = {
  id: 'no_certificate',
  severity: 'critical',
  finding: 'No certificate was sent.',
};

function statementsOn(
  certificate: TlsCertificate,
  scan: ScanFacts,
  now: number,
): readonly CertificateStatement[] {
  const own = [...validityFindings(certificate, now), ...nameFindings(scan)];
  return [...own, ...trustFindings(scan, own), ...strengthFindings(certificate)];
}

function validityFindings(
  { notBefore, notAfter }: TlsCertificate,
  now: number,
): readonly CertificateStatement[] {
  if (notBefore === null || notAfter === null) {
    const finding = 'The start or the end of the validity of the certificate cannot be read.';
    return [{ id: 'certificate_dates_unreadable', severity: 'high', finding }];
  }
  const end = new Date(notAfter).toISOString();
  const days = Math.floor((notAfter - now) / dayMs);
  const id = 'certificate_validity';
  if (notAfter < now)
    return [
      {
        id: 'certificate_expired',
        severity: 'critical',
        finding: `The certificate expired ${end}.`,
      },
    ];
  if (notBefore > now) {
    const start = new Date(notBefore).toISOString();
    const finding = `The certificate is not valid before ${start}.`;
    return [{ id: 'certificate_not_yet_valid', severity: 'critical', finding }];
  }
  const finding = `The certificate expires ${end}, in ${days} ${days === 1 ? 'day' : 'days'}.`;
  if (notAfter - now >= 30 * dayMs) return [{ id, severity: 'ok', finding }];
  const severity = notAfter - now < 14 * dayMs ? 'medium' : 'low';
  return [{ id: 'certificate_expires_soon', severity, finding }];
}

function nameFindings({ host, matchesHost }: ScanFacts): readonly CertificateStatement[] {
  return matchesHost
    ? [{ id: 'certificate_name', severity: 'ok', finding: `The certificate is for ${host}.` }]
    : [
        {
          id: 'certificate_wrong_name',
          severity: 'critical',
          finding: `The certificate is not for ${host}.`,
        },
      ];
}

/** NIST SP 800-57 part 1 section 5.6.1: 112 bits of security. */
const minKeySizes: Readonly<Record<string, number>> = {
  rsa: 2048,
  'rsa-pss': 2048,
  dsa: 2048,
  ec: 224,
};

function strengthFindings(certificate: TlsCertificate): readonly CertificateStatement[] {
  const { keyType, keySize, signatureAlgorithm } = certificate;
  const minSize = keyType === null ? undefined : minKeySizes[keyType];
  const isWeak = minSize !== undefined && keySize !== null && keySize < minSize;
  const isObsolete = /sha1|md5/i.test((signatureAlgorithm ?? '').replaceAll('-', ''));
  return [
    ...(isWeak
      ? [
          {
            id: 'certificate_weak_key',
            severity: 'high',
            finding: `The ${keyType} key has ${keySize} bits, fewer than ${minSize}.`,
          } as const,
        ]
      : []),
    ...(isObsolete
      ? [
          {
            id: 'certificate_weak_signature',
            severity: 'high',
            finding: `The certificate is signed with ${signatureAlgorithm}.`,
          } as const,
        ]
      : []),
  ];
}

/** A finding about the certificates of a server. */
type CertificateStatement = Pick<TlsFinding, 'id' | 'severity' | 'finding'>;

/** Statements by OpenSSL's reason, which concerns any certificate of the chain. */
const statements: Readonly<Record<string, Omit<CertificateStatement, 'severity'>>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    id: 'certificate_self_signed',
    finding: 'The certificate is self-signed.',
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    id: 'certificate_chain_incomplete',
    finding: 'An intermediate certificate was not sent, or the issuer is not trusted.',
  },
  CERT_HAS_EXPIRED: {
    id: 'certificate_chain_expired',
    finding: 'A certificate of the chain has expired.',
  },
  CERT_NOT_YET_VALID: {
    id: 'certificate_chain_not_yet_valid',
    finding: 'A certificate of the chain is not yet valid.',
  },
};

const untrustedIssuerReasons = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_UNTRUSTED',
]);

/** The findings about the server's own certificate that state a reason already. */
const ownFindings: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_not_yet_valid',
  ERROR_IN_CERT_NOT_BEFORE_FIELD: 'certificate_dates_unreadable',
  ERROR_IN_CERT_NOT_AFTER_FIELD: 'certificate_dates_unreadable',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_wrong_name',
};

/**
 * Returns the finding about the trust in a certificate; none if one of `own`, the findings about the
 * server's own certificate, states the reason.
 */
function trustFindings(
  { isTrusted, trustError }: Pick<TlsScan, 'isTrusted' | 'trustError'>,
  own: readonly CertificateStatement[],
): readonly CertificateStatement[] {
  if (isTrusted === null) {
    const finding = 'Whether the issuer is trusted is unknown: a client certificate is needed.';
    return [{ id: 'certificate_trust_unknown', severity: 'info', finding }];
  }
  if (trustError === null)
    return [{ id: 'certificate_trusted', severity: 'ok', finding: 'The issuer is trusted.' }];
  if (own.some(({ id }) => id === ownFindings[trustError])) return [];
  return [{ severity: 'high', ...statementOn(trustError) }];
}

function statementOn(trustError: string): Omit<CertificateStatement, 'severity'> {
  const finding = `The issuer of the certificate is not trusted (${trustError}).`;
  if (untrustedIssuerReasons.has(trustError)) return { id: 'certificate_untrusted', finding };
  return (
    statements[trustError] ?? {
      id: 'certificate_not_accepted',
      finding: `The certificate is not accepted (${trustError}).`,
    }
  );
}
