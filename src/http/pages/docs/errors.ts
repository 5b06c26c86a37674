import { problems, type ProblemCode } from '../../../domain/problems.ts';
import { resolutions } from './resolutions.ts';
import { errorCodeOf, errorTypeOf, errorTypes } from '../../messages/error-object.ts';
import { html, prose, sections, table, type Section } from './html.ts';
import type { Page } from './page.ts';

/** Renders every problem that a client can see, each at the anchor to which the `type` of a problem leads. */
export function errorsPage(): Page {
  const parts = (Object.keys(problems) as ProblemCode[]).map(explanation);
  return {
    name: 'errors',
    title: 'Errors',
    description:
      'All problem codes of the REST and GraphQL APIs, with their meaning and how to fix each.',
    body: html`${introduction}${sections(parts)}`,
    sections: parts,
  };
}

const typesTable = table(
  'Values of error.type',
  ['error.type', 'Meaning'],
  Object.entries(errorTypes).map(([type, meaning]) => [html`<code>${type}</code>`, prose(meaning)]),
);

const introduction = html`<p>
    REST errors are problem documents (<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a
    >): programs read <code>code</code>, people read <code>detail</code>, and
    <code>type</code> links to the explanation on this page. In GraphQL, the code is in
    <code>errors[].extensions.code</code> and the link in <code>errors[].extensions.type</code>. If
    <code>retryable</code> is true, the same request may succeed later. New codes may be added at
    any time.
  </p>
  <p>
    A failed lookup is not an error of the whole call: its code is the <code>reason</code> of the
    row. Only <code>/v1/rdap</code>, which looks up a single name, returns it as an error.
  </p>
  <p>
    The media type is <code>application/problem+json</code>, or <code>application/json</code> if
    <code>Accept</code> names it and neither <code>application/problem+json</code> nor a wildcard.
    Requests that could not be parsed and requests rejected under overload always get
    <code>application/problem+json</code>.
  </p>
  <p>
    For client libraries of the public <code>/v1</code> API, each problem also has
    <code>message</code> (the same text as <code>detail</code>) and <code>error</code> with
    <code>code</code>, <code>type</code>, <code>message</code>, <code>status</code>,
    <code>retryable</code>, <code>request_id</code>, <code>docs_url</code> (the same URL as the
    problem’s <code>type</code>) and, if known, <code>retry_after</code>. Its <code>code</code> has
    the spelling of these libraries, and its <code>type</code> selects their error class.
  </p>
  ${typesTable} `;

function explanation(code: ProblemCode): Section {
  const { status, title, retryable } = problems[code];
  const body = html`<p>
      <strong>${title}.</strong> HTTP ${status}. ${retryable ? 'Retryable' : 'Not retryable'}.
    </p>
    <p>${prose(resolutions[code])}</p>
    <p>
      In <code>error</code>: <code>${errorCodeOf(code)}</code>, <code>${errorTypeOf(code)}</code>.
    </p>`;
  return { id: code, title: html`<code>${code}</code>`, body };
}
