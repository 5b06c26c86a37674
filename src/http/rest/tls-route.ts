import packageJson from '../../../package.json' with { type: 'json' };
import { summarizeTls } from '../../sites/tls/tls-findings.ts';
import {
  tlsProfiles,
  tlsSections,
  type TlsFinding,
  type TlsVersion,
} from '../../sites/tls/tls-scan.ts';
import { readChoice } from './site-parameters.ts';
import { lowerCase, siteRoute, type SiteResult } from './site-route.ts';

interface Protocol {
  readonly version: TlsVersion;
  readonly offered: boolean | null;
}

interface Scan {
  readonly host: string;
  readonly port: number;
  readonly address: string | null;
  readonly profile: string | null;
  readonly protocols: readonly Protocol[];
  readonly supports_http2: boolean | null;
  readonly certificates: readonly object[];
  readonly trusted: boolean | null;
  readonly trust_error: string | null;
  readonly ocsp_staple: boolean | null;
  readonly findings: readonly TlsFinding[];
  readonly duration_ms: number;
  readonly notes: readonly string[];
}

/** `GET /v1/ssl/deep-scan`: what the server of a site offers over TLS. A scan is always complete. */
export const tlsRoute = siteRoute<Scan>({
  path: '/v1/ssl/deep-scan',
  target: 'domain',
  readVariables: (parameters) => ({
    profile: readChoice(parameters, 'profile', tlsProfiles).toUpperCase(),
  }),
  bodyOf: (scan, domain) => ({ status: 'ready', result: resultOf(scan, domain), error: null }),
});

function resultOf(scan: Scan & SiteResult, domain: string): object {
  const { host, port, address, profile, findings, certificates } = scan;
  return {
    domain,
    host,
    port,
    engine: {
      name: packageJson.name,
      mode: 'builtin',
      version: packageJson.version,
      profile: lowerCase(profile),
    },
    target: { ip: address },
    summary: summaryOf(scan),
    sections: Object.fromEntries(
      tlsSections.map((section) => [
        section,
        findings
          .filter((each) => each.section === section)
          .map(({ section: _section, ...finding }) => finding),
      ]),
    ),
    findings,
    certificates,
    checked_at: scan.checked_at,
    scan_duration_ms: Math.round(scan.duration_ms),
    notes: scan.notes,
  };
}

function summaryOf(scan: Scan): object {
  const summary = summarizeTls({
    findings: scan.findings,
    protocols: scan.protocols.map(({ version, offered }) => ({ version, isOffered: offered })),
    supportsHttp2: scan.supports_http2,
  });
  return {
    severity_counts: summary.severityCounts,
    actionable_findings: summary.actionableFindings,
    protocols_offered: summary.protocolsOffered,
    deprecated_protocols: summary.deprecatedProtocols,
    supports_tls_1_3: summary.supportsTls13,
    supports_http2: summary.supportsHttp2,
    trusted: scan.trusted,
    trust_error: scan.trust_error,
    ocsp_staple: scan.ocsp_staple,
  };
}
