import type { TlsFinding, TlsScan } from './tls-scan.ts';

/** A finding about the certificates of a server. */
export type CertificateStatement = Pick<TlsFinding, 'id' | 'severity' | 'finding'>;

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
export function trustFindings(
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
