import type { Clock } from '../clock.ts';
import { siteOf } from './site-names.ts';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Returns the result of a search in crt.sh's JSON form: the certificates of a registered name, and
 * none for others. `query` is a name, which may start with `%.` for the names under it.
 */
export function searchCertificates(query: string, clock: Clock): readonly object[] {
  const site = siteOf(query.replace(/^%\./, ''));
  if (!site) return [];
  const { domain } = site;
  const today = Math.floor(clock.now() / dayMs) * dayMs;
  return [
    row(4, [domain, `www.${domain}`], today - 30 * dayMs),
    row(3, [`shop.${domain}`], today - 40 * dayMs),
    row(2, [`*.${domain}`, domain], today - 60 * dayMs),
    row(1, [domain, `mail.${domain}`], today - 400 * dayMs),
  ];
}

/** Returns a certificate that is valid for 90 days. */
function row(id: number, names: readonly string[], notBefore: number): object {
  return {
    id,
    issuer_ca_id: 1,
    issuer_name: 'C=GB, O=Sandbox CA',
    common_name: names[0],
    name_value: names.join('\n'),
    entry_timestamp: crtTime(notBefore + 60_000),
    not_before: crtTime(notBefore),
    not_after: crtTime(notBefore + 90 * dayMs),
    serial_number: `0${id}`,
  };
}

/** Formats a time in UTC without a zone, like crt.sh. */
function crtTime(time: number): string {
  return new Date(time).toISOString().slice(0, 19);
}
