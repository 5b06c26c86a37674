import { tlsSections, tlsSeverities } from '../../../sites/tls/tls-scan.ts';
import { objectOf, orNull, type Properties } from './json-schema.ts';
import { count, flag, listOf, text, textOrNull } from './parts.ts';

/** Returns the members of the body of a TLS scan. */
export function tlsMembers(result: Properties): Properties {
  const finding = objectOf({
    id: text('A stable identifier, such as `tls_1_0`.'),
    severity: text('`critical`, `high`, `medium`, `low`, `info` or `ok`.'),
    finding: text('A sentence.'),
  });
  const severities = tlsSeverities.map((severity) => [severity, count('Number of findings.')]);
  const sections = tlsSections.map((section) => [section, listOf(finding, 'The findings.')]);
  const boolean = orNull(flag('Null if it could not be tested.'));
  return {
    status: { type: 'string', enum: ['ready'], description: 'A scan is always complete.' },
    error: { type: 'null', description: 'A failed scan is a problem response.' },
    result: objectOf({
      domain: text('The host name.'),
      host: { ...result['host'] },
      port: { ...result['port'] },
      engine: objectOf({
        name: text('The scanner.'),
        mode: { type: 'string', enum: ['builtin'], description: 'The scanner of this gateway.' },
        version: text('Its version.'),
        profile: textOrNull('`standard` or `full`.'),
      }),
      target: objectOf({
        ip: textOrNull('The address that was scanned; null if the operator or the sandbox set it.'),
      }),
      summary: objectOf({
        severity_counts: objectOf(Object.fromEntries(severities)),
        actionable_findings: count('Number of findings above `info`.'),
        protocols_offered: listOf(text('Such as `TLSv1.3`.'), 'The protocols that are offered.'),
        deprecated_protocols: listOf(text('Such as `TLSv1`.'), 'Those that RFC 8996 deprecates.'),
        supports_tls_1_3: boolean,
        supports_http2: boolean,
        trusted: { ...result['trusted'] },
        trust_error: { ...result['trust_error'] },
        ocsp_staple: { ...result['ocsp_staple'] },
      }),
      sections: objectOf(Object.fromEntries(sections)),
      findings: { ...result['findings'] },
      certificates: { ...result['certificates'] },
      checked_at: { ...result['checked_at'] },
      scan_duration_ms: count('How long the scan took, in milliseconds.'),
      notes: { ...result['notes'] },
    }),
  };
}
