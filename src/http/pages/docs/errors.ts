import { problems, type ProblemCode } from '../../../domain/problems.ts';
import { resolutions } from './resolutions.ts';
import { errorCodeOf, errorTypeOf, errorTypes } from '../../response/error-object.ts';
import { contents, html, prose, sections, table, type Section } from './html.ts';
import type { Page } from './layout.ts';

/** Every problem that a client can see, each at an anchor of its code: where the `type` of a problem leads. */
export function errorsPage(): Page {
  const parts = (Object.keys(problems) as ProblemCode[]).map(explanation);
  return {
    name: 'errors',
    title: 'Errors',
    body: html`${introduction}${contents(parts)}${sections(parts)}`,
  };
}

const typesTable = table(
  'Values of error.type',
  ['error.type', 'Meaning'],
  Object.entries(errorTypes).map(([type, meaning]) => [html`<code>${type}</code>`, prose(meaning)]),
);

const introduction = html`<p>
    A response that is not data is <code>application/problem+json</code> (<a
      href="https://www.rfc-editor.org/rfc/rfc9457"
      >RFC 9457</a
    >), or <code>application/json</code> if <code>Accept</code> names it and neither
    <code>application/problem+json</code> nor a wildcard. Only responses to requests that could not
    be read, and rejections under overload, are <code>application/problem+json</code> in any case.
    Programs read its <code>code</code>, people its <code>detail</code>; its <code>type</code> leads
    to this page. In GraphQL the same code stands in <code>errors[].extensions.code</code>. Where
    <code>retryable</code> is true, the same request may succeed later. Codes may be added at any
    time.
  </p>
  <p>
    For client libraries of the public API, each problem also has <code>message</code>, the same
    text as <code>detail</code>, and <code>error</code> with <code>code</code>, <code>type</code>,
    <code>message</code>, <code>status</code>, <code>retryable</code>, <code>request_id</code>,
    <code>docs_url</code> (the same as the problem’s <code>type</code>) and, where a time is known,
    <code>retry_after</code>. Its <code>code</code> is the word that these libraries know: a 400 is
    <code>BAD_REQUEST</code> unless it is about a name. Its <code>type</code> is the class of the
    error.
  </p>
  ${typesTable}
  <p>
    A registry that fails is no problem of a whole call where there are rows: its code is the
    <code>reason</code> of the row.
  </p> `;

function explanation(code: ProblemCode): Section {
  const { status, title, retryable } = problems[code];
  const body = html`<p>
      <strong>${title}.</strong> HTTP ${status}. The same request ${retryable ? 'may' : 'will not'}
      succeed later.
    </p>
    <p>${prose(resolutions[code])}</p>
    <p>
      In <code>error</code>: <code>${errorCodeOf(code)}</code>, <code>${errorTypeOf(code)}</code>.
    </p>`;
  return { id: code, title: html`<code>${code}</code>`, body };
}
