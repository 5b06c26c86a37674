import { problems, type ProblemCode } from '../../problems.ts';
import { advice } from './advice.ts';
import { contents, html, prose, sections, type Section } from './html.ts';
import type { Page } from './layout.ts';

/** Every problem that a client can see, each at an anchor of its code: where the `type` of a problem leads. */
export function errorsPage(): Page {
  const parts = (Object.keys(problems) as ProblemCode[]).map(explanation);
  return { name: 'errors', title: 'Errors', body: html`${introduction}${contents(parts)}${sections(parts)}` };
}

const introduction = html`<p>
    An answer that is not data is <code>application/problem+json</code> (<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>).
    Programs read its <code>code</code>, people its <code>detail</code>; its <code>type</code> leads to this page. In GraphQL the same code
    stands in <code>errors[].extensions.code</code>. Where <code>retryable</code> is true, the same request may succeed later. Codes may be
    added at any time.
  </p>
  <p>A registry that fails is no problem of a whole call where there are rows: its code is the <code>reason</code> of the row.</p> `;

function explanation(code: ProblemCode): Section {
  const { status, title, retryable } = problems[code];
  const body = html`<p><strong>${title}.</strong> HTTP ${status}. The same request ${retryable ? 'may' : 'will not'} succeed later.</p>
    <p>${prose(advice[code])}</p>`;
  return { id: code, title: html`<code>${code}</code>`, body };
}
