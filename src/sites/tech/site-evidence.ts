import type { DnsRecords } from '../dns/dns-records.ts';
import { webUrl } from '../page/page-text.ts';
import type { PageVisit } from '../page/page-visit.ts';
import { withoutWww } from '../site-target.ts';

/** Where the rules look, prepared once for all of them. */
export interface SiteEvidence {
  readonly headers: Readonly<Record<string, string>>;
  readonly cookieNames: readonly string[];
  readonly metas: readonly { readonly key: string; readonly content: string }[];
  readonly generators: readonly string[];
  readonly scripts: readonly Resource[];
  readonly links: readonly Resource[];
  readonly linkTypes: readonly string[];
  /** The host of the last response; null without a response. */
  readonly host: string | null;
  readonly cname: readonly string[];
  readonly ns: readonly string[];
}

/** A file that the page loads. */
export interface Resource {
  readonly url: string;
  readonly host: string;
  readonly path: string;
  /** The parameters of the query, such as `id=1`. */
  readonly parameters: readonly string[];
  /** Whether the host is that of the site, with or without `www.`, or a name under it. */
  readonly isOwn: boolean;
}

/** The limits of each list. */
const maxElements = 300;
const maxParameters = 20;

/**
 * The types of links that load a file. Others do not show what a site uses: `canonical` and `alternate`
 * name pages, and `preconnect` and `dns-prefetch` load nothing.
 */
const loadingTypes = ['stylesheet', 'preload', 'modulepreload'];

/** Returns the parts of a visit and of the DNS records that the rules compare. */
export function siteEvidence(visit: PageVisit, dns: DnsRecords | null): SiteEvidence {
  const { document, finalUrl } = visit;
  const host = (finalUrl === null ? null : webUrl(finalUrl, null)?.hostname) ?? null;
  const metas = document?.metas.slice(0, maxElements) ?? [];
  const links = document?.links.slice(0, maxElements) ?? [];
  const loaded = links.filter(({ rel }) => rel.some((type) => loadingTypes.includes(type)));

  return {
    headers: visit.headers,
    cookieNames: visit.cookieNames,
    metas,
    generators: metas.filter(({ key }) => key === 'generator').map(({ content }) => content),
    scripts: resources(document?.scripts.slice(0, maxElements) ?? [], finalUrl, host),
    links: resources(
      loaded.map(({ url }) => url),
      finalUrl,
      host,
    ),
    linkTypes: links.flatMap(({ rel }) => rel),
    host,
    cname: dns?.cname.slice(0, maxElements) ?? [],
    ns: dns?.ns.slice(0, maxElements) ?? [],
  };
}

function resources(
  urls: readonly string[],
  base: string | null,
  siteHost: string | null,
): readonly Resource[] {
  return urls.flatMap((text) => {
    const url = webUrl(text, base);
    if (!url) return [];
    const isOwn = siteHost !== null && isUnder(withoutWww(url.hostname), withoutWww(siteHost));
    const parameters = url.search.slice(1).split('&', maxParameters);
    return [{ url: text, host: url.hostname, path: url.pathname, parameters, isOwn }];
  });
}

/**
 * Returns whether a host is a name or under it. In the name, a label `*` is any label, and `a-*` any
 * label that starts with `a-`.
 */
export function isUnder(host: string, name: string): boolean {
  if (!name.includes('*')) return host === name || host.endsWith(`.${name}`);

  const wanted = name.split('.');
  const labels = host.split('.').slice(-wanted.length);

  return (
    labels.length === wanted.length &&
    wanted.every((label, index) => isLabel(labels[index] ?? '', label))
  );
}

function isLabel(label: string, wanted: string): boolean {
  return wanted.endsWith('*') ? label.startsWith(wanted.slice(0, -1)) : label === wanted;
}
