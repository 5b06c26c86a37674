import { createRequire } from 'node:module';
import { parseDomainName } from '../../domain/names/domain-name.ts';
import { firstIndex, pagesBy } from '../pages.ts';
import { once } from '../../shared/memoize.ts';

/** Whether a name is on the list of disposable mail domains. */
export interface DisposableMail {
  readonly isListed: boolean;
  /** The entry of the list: the name itself or a parent of it; null if it is not listed. */
  readonly matchedDomain: string | null;
}

/** Domains that offer disposable mailboxes. */
export interface DisposableMailList {
  /** The domains in alphabetical order. */
  readonly domains: readonly string[];
  /** When the list was last changed, in epoch ms; null if unknown. */
  readonly updatedAt: number | null;
  /** The name of the list. */
  readonly source: string;
  /** `static_fallback`: the list of the installed package. `file`: the operator's file. */
  readonly status: 'static_fallback' | 'file';
  find(host: string): DisposableMail;
}

/** A file of the operator: a domain per line; `*.` in front also lists the names under it. */
export interface DisposableMailFile {
  readonly name: string;
  /** `#` starts a comment. Lines that are not domain names are ignored. */
  readonly text: string;
  /** When the file was changed, in epoch ms. */
  readonly updatedAt: number;
}

interface Entries {
  /** In alphabetical order. */
  readonly domains: readonly string[];
  /** The domains whose subdomains are listed too. */
  readonly parents: ReadonlySet<string>;
}

/**
 * Returns the list of a file, or of the package `disposable-email-domains`. The package is loaded
 * when the list is first used: it has 121,000 domains.
 */
export function loadDisposableMail(file?: DisposableMailFile): DisposableMailList {
  const entries = once(() => (file ? parseFile(file.text) : packageEntries()));
  return {
    get domains() {
      return entries().domains;
    },
    updatedAt: file?.updatedAt ?? null,
    source: file?.name ?? 'disposable-email-domains',
    status: file ? 'file' : 'static_fallback',
    find: (host) => findEntry(entries(), host),
  };
}

function findEntry({ domains, parents }: Entries, host: string): DisposableMail {
  const index = firstIndex(domains, (domain) => domain >= host);
  const matchedDomain = domains[index] === host ? host : parentIn(parents, host);
  return { isListed: matchedDomain !== null, matchedDomain };
}

function parentIn(parents: ReadonlySet<string>, host: string): string | null {
  const labels = host.split('.');
  for (let start = 1; start < labels.length - 1; start += 1) {
    const parent = labels.slice(start).join('.');
    if (parents.has(parent)) return parent;
  }
  return null;
}

const require = createRequire(import.meta.url);

function packageEntries(): Entries {
  const domains = require('disposable-email-domains') as readonly string[];
  const parents = require('disposable-email-domains/wildcard.json') as readonly string[];
  return entriesOf(domains, parents);
}

function parseFile(text: string): Entries {
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  const parents = lines.filter((line) => line.startsWith('*.')).map((line) => line.slice(2));
  return entriesOf(
    lines.filter((line) => !line.startsWith('*.')),
    parents,
  );
}

function entriesOf(domains: readonly string[], parents: readonly string[]): Entries {
  const all = new Set([...domains, ...parents].flatMap(domainNameOf));
  return { domains: Array.from(all).toSorted(), parents: new Set(parents.flatMap(domainNameOf)) };
}

function domainNameOf(text: string): readonly string[] {
  try {
    return [parseDomainName(text)];
  } catch {
    return [];
  }
}

/** Returns a page of disposable mail domains. Throws `invalid_parameter` for an invalid cursor. */
export const pageOfDisposableMail = pagesBy<string>({
  positionOf: (domain) => domain,
  isAfter: (position) =>
    /^[a-z0-9.-]{1,253}$/.test(position) ? (domain) => domain > position : undefined,
});
