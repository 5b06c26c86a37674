import { aliases, aliasesDeprecatedSince, aliasesWorkUntil, deprecationHeaders, type Alias } from '../../deprecations.ts';
import { html, table, type Html } from './html.ts';
import type { Page } from './layout.ts';

/** What callers may rely on, and the old names that still work. */
export function versioningPage(docsUrl: string): Page {
  return { name: 'versioning', title: 'Versioning', body: html`${promise}${deprecated(docsUrl)}` };
}

const promise = html`<p>The version stands in the path: <code>/v1</code>. Within it, a breaking change comes only after 12 months of notice. During
these the old form works and its answers carry the headers below, and the <a href="../docs/changelog">changelog</a> lists it.</p>
<p>New paths, optional parameters, fields, values, headers and problem codes may come at any time. Ignore what you do not know.</p>
`;

function deprecated(docsUrl: string): Html {
  const headers = Object.entries(deprecationHeaders(docsUrl)).map(([name, value]) => html`${capitalised(name)}: ${value}\n`);
  return html`<section id="deprecated-aliases" aria-labelledby="deprecated-aliases-title">
<h2 id="deprecated-aliases-title">Deprecated aliases</h2>
<p>Since <time>${dayOf(aliasesDeprecatedSince)}</time>; they work until <time>${dayOf(aliasesWorkUntil)}</time> at least. An alias does what its
replacement does, and every answer to a request that uses one, errors too, says so:</p>
<pre tabindex="0"><code>${headers}</code></pre>
<p>The values <code>false</code>, <code>0</code>, <code>no</code> and <code>off</code> switch an alias off, in a body <code>null</code> too; any
other switches it on. <code>max_age</code> wins over an alias, and asking the registry over <code>prefer_cache</code>.</p>
${table('Deprecated aliases', ['Alias', 'Where', 'Replacement'], aliases.map(row))}
</section>`;
}

function row({ method, path, name, place, values, replacement }: Alias): readonly Html[] {
  const where = place === 'body' ? ', in options and at top level' : '';
  return [
    html`<code>${name}</code>${values ? ' with a number' : ''}`,
    html`<code>${method} ${path}</code>${where}`,
    html`<code>${replacement}</code>`,
  ];
}

function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

function capitalised(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
