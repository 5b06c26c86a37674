import type { TlsCertificate, TlsFinding, TlsScan } from './tls-scan.ts';

type Statement = Pick<TlsFinding, 'id' | 'severity' | 'finding'>;
type ScanFacts = Pick<
  TlsScan,
  'certificates' | 'host' | 'matchesHost' | 'isTrusted' | 'trustError'
>;

const dayMs = 24 * 60 * 60 * 1000;

/** Returns the findings about the certificates of a server. `now` is in epoch ms. */
export function certificateFindings(scan: ScanFacts, now: number): readonly TlsFinding[] {
  const [certificate] = scan.certificates;
  const statements = certificate
    ? [
        ...validityFindings(certificate, now),
        ...nameFindings(scan),
        ...trustFindings(scan),
        ...strengthFindings(certificate),
      ]
    : [
        {
          id: 'no_certificate',
          severity: 'critical',
          finding: 'No certificate was sent.',
        } as const,
      ];
  return statements.map((statement) => ({ ...statement, section: 'server_defaults' }));
}

function validityFindings(
  { notBefore, notAfter }: TlsCertificate,
  now: number,
): readonly Statement[] {
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

function nameFindings({ host, matchesHost }: ScanFacts): readonly Statement[] {
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

/** The reasons that have findings of their own. */
const otherReasons = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

function trustFindings({ isTrusted, trustError }: ScanFacts): readonly Statement[] {
  if (isTrusted === null) {
    const finding = 'Whether the issuer is trusted is unknown: a client certificate is needed.';
    return [{ id: 'certificate_trust_unknown', severity: 'info', finding }];
  }
  const severity = 'high';
  switch (trustError) {
    case null:
      return [{ id: 'certificate_trusted', severity: 'ok', finding: 'The issuer is trusted.' }];
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return [
        { id: 'certificate_self_signed', severity, finding: 'The certificate is self-signed.' },
      ];
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return [
        {
          id: 'certificate_chain_incomplete',
          severity,
          finding: 'An intermediate certificate was not sent, or the issuer is not trusted.',
        },
      ];
    default: {
      const finding = `The issuer of the certificate is not trusted (${trustError}).`;
      return otherReasons.has(trustError)
        ? []
        : [{ id: 'certificate_untrusted', severity, finding }];
    }
  }
}

/** NIST SP 800-57 part 1 section 5.6.1: 112 bits of security. */
const minKeySizes: Readonly<Record<string, number>> = {
  rsa: 2048,
  'rsa-pss': 2048,
  dsa: 2048,
  ec: 224,
};

function strengthFindings(certificate: TlsCertificate): readonly Statement[] {
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
