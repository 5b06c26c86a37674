import type { DnsRecords } from '../../../src/sites/dns/dns-records.ts';
import type { PageDocument, PageVisit } from '../../../src/sites/page/page-visit.ts';

/** Returns a visit of a page that declares nothing, except for `document` and `changes`. */
export function pageVisit(
  document: Partial<PageDocument> = {},
  changes: Partial<PageVisit> = {},
): PageVisit {
  return {
    requestedUrl: 'https://www.example.com/',
    finalUrl: 'https://www.example.com/',
    status: 200,
    fetchState: 'ok',
    problem: null,
    contentType: 'text/html',
    redirects: [],
    headers: {},
    cookieNames: [],
    document: {
      language: null,
      title: null,
      metas: [],
      links: [],
      anchors: { total: 0, internal: 0, external: 0, relMe: [], profiles: [] },
      scripts: [],
      structuredData: { types: [], items: [], parseErrors: 0 },
      isTruncated: false,
      webMcp: [],
      ...document,
    },
    ...changes,
  };
}

/** Returns a visit of a page that could not be read. */
export function failedVisit(): PageVisit {
  return pageVisit({}, { fetchState: 'http_error', status: 500, document: null });
}

/** Returns the records of a name that has none, except for `changes`. */
export function dnsRecords(changes: Partial<DnsRecords> = {}): DnsRecords {
  const none = { a: [], aaaa: [], cname: [], mx: [], ns: [], txt: [], caa: [] };
  return { exists: true, ...none, soa: null, ...changes };
}
