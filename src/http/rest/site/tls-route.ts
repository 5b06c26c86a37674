import packageJson from '../../../../package.json' with { type: 'json' };
import { tlsProfiles, tlsSections, tlsSeverities } from '../../../domain/site/tls/tls-scan.ts';
import { readChoice } from './parameters.ts';
import { lowerCase, siteRoute, type SiteResult } from './site-route.ts';

interface Finding {
  readonly id: string;
  readonly section: string;
  readonly severity: string;
  readonly finding: string;
}

interface Protocol {
  readonly version: string;
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
  readonly findings: readonly Finding[];
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

const deprecatedVersions = new Set(['TLSv1', 'TLSv1.1']);

function summaryOf(scan: Scan): object {
  const { protocols, findings } = scan;
  const offered = protocols.filter((each) => each.offered).map(({ version }) => version);
  const countOf = (severity: string) =>
    findings.filter((finding) => finding.severity === severity).length;
  return {
    severity_counts: Object.fromEntries(
      tlsSeverities.map((severity) => [severity, countOf(severity)]),
    ),
    actionable_findings: findings.length - countOf('info') - countOf('ok'),
    protocols_offered: offered,
    deprecated_protocols: offered.filter((version) => deprecatedVersions.has(version)),
    supports_tls_1_3: offeredOf(protocols, 'TLSv1.3'),
    supports_http2: scan.supports_http2,
    trusted: scan.trusted,
    trust_error: scan.trust_error,
    ocsp_staple: scan.ocsp_staple,
  };
}

/** Returns whether a version is offered; null if the probe failed. */
function offeredOf(protocols: readonly Protocol[], version: string): boolean | null {
  return protocols.find((each) => each.version === version)?.offered ?? null;
}
