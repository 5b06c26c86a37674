import {
  aliases,
  aliasesDeprecatedSince,
  aliasesWorkUntil,
  deprecationHeaders,
  type Alias,
} from '../../response/deprecations.ts';
import { codeBlock, html, sections, table, type Html, type Section } from './html.ts';
import type { Page } from './layout.ts';

/** What callers may rely on, and the old names that still work. */
export function versioningPage(docsUrl: string): Page {
  return {
    name: 'versioning',
    title: 'Versioning',
    body: html`${promise}${sections([deprecated(docsUrl)])}`,
  };
}

const promise = html`<p>
    The version stands in the path: <code>/v1</code>. Within it, a breaking change comes only after
    12 months of notice. During these the old form works and its answers carry the headers below,
    and the <a href="../docs/changelog">changelog</a> lists it.
  </p>
  <p>
    New paths, optional parameters, fields, values, headers and problem codes may come at any time.
    Ignore what you do not know.
  </p> `;

function deprecated(docsUrl: string): Section {
  const headers = Object.entries(deprecationHeaders(docsUrl)).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const body = html`<p>
      Since <time>${dayOf(aliasesDeprecatedSince)}</time>; they work until
      <time>${dayOf(aliasesWorkUntil)}</time> at least. An alias does what its replacement does, and
      every answer to a request that uses one, errors too, says so:
    </p>
    ${codeBlock('Headers of an answer to an alias', headers.join('\n'))}
    <p>
      The values <code>false</code>, <code>0</code>, <code>no</code> and <code>off</code> switch an
      alias off; any other switches it on. In a body, <code>null</code> counts as not given.
      <code>max_age</code> wins over an alias, and an alias that asks the registry wins over
      <code>prefer_cache</code>.
    </p>
    ${table('Deprecated aliases', ['Alias', 'Where', 'Replacement'], aliases.map(row))}`;
  return { id: 'deprecated-aliases', title: 'Deprecated aliases', body };
}

function row({ method, path, name, location, values, replacement }: Alias): readonly Html[] {
  const where = location === 'body' ? ', in options and at top level' : '';
  return [
    html`<code>${name}</code>${values ? ' with a number' : ''}`,
    html`<code>${method} ${path}</code>${where}`,
    html`<code>${replacement}</code>`,
  ];
}

/** `2026-01-31`, in UTC. */
export function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}
