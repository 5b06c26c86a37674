import {
  aliases,
  aliasesDeprecatedSince,
  aliasesWorkUntil,
  deprecationHeaders,
  type Alias,
} from '../../messages/deprecations.ts';
import { codeBlock } from './code-block.ts';
import { html, sections, table, type Html, type Section } from './html.ts';
import type { Page } from './page.ts';

/** Renders the versioning policy, and the deprecated aliases that still work. */
export function versioningPage(docsUrl: string): Page {
  const parts = [deprecated(docsUrl)];
  return {
    name: 'versioning',
    title: 'Versioning',
    description: 'The compatibility policy of the API, and the deprecated names that still work.',
    body: html`${policy}${sections(parts)}`,
    sections: parts,
  };
}

const policy = html`<p>
    The API version is part of the path: <code>/v1</code>. Within a version, breaking changes are
    announced 12 months ahead. During these months the old form works, its responses carry the
    headers below, and the <a href="../docs/changelog">changelog</a> lists the change.
  </p>
  <p>
    New endpoints, optional parameters, fields, values, headers and problem codes may be added at
    any time. Clients must ignore what they do not recognize.
  </p> `;

function deprecated(docsUrl: string): Section {
  const headers = Object.entries(deprecationHeaders(docsUrl)).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const body = html`<p>
      These aliases are older names of the public <code>/v1</code> API, with which this gateway is
      compatible. They are deprecated since <time>${dayOf(aliasesDeprecatedSince)}</time> and work
      until at least <time>${dayOf(aliasesWorkUntil)}</time>. An alias has the same effect as its
      replacement. Every response to a request with an alias, errors included, carries these
      headers:
    </p>
    ${codeBlock('Headers of a response to an alias', headers.join('\n'))}
    <p>
      The values <code>false</code>, <code>0</code>, <code>no</code> and <code>off</code> turn an
      alias off; any other value turns it on. In a body, <code>null</code> counts as absent.
      <code>max_age</code> takes precedence over an alias, and an alias for
      <code>max_age=0</code> takes precedence over <code>prefer_cache</code>.
    </p>
    ${table('Deprecated aliases', ['Alias', 'Where', 'Replacement'], aliases.map(row))}`;
  return { id: 'deprecated-aliases', title: 'Deprecated aliases', body };
}

function row({ method, path, name, location, values, replacement }: Alias): readonly Html[] {
  const where = location === 'body' ? ', in options and at top level' : '';
  return [
    html`<code>${name}</code>${values ? ' with a numeric value' : ''}`,
    html`<code>${method} ${path}</code>${where}`,
    html`<code>${replacement}</code>`,
  ];
}

/** Returns a date such as `2026-01-31`, in UTC. */
function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}
