import type { HttpResponse } from '../server/http-request-context.ts';
import { pageAsset, pageHeaders } from '../website/assets.ts';
import { html, table } from '../website/docs/html.ts';
import { renderHead, siteHeader } from '../website/site.ts';
import { jsonIn } from '../shared/shapes.ts';
import { readPayload } from './payload.ts';
import { conclusionOf, sourceNames, stepsOf } from './reasons.ts';
import type { Receipt } from './receipts.ts';

/** Returns a function that renders the page of a receipt, without scripts. */
export function receiptPage(hasGraphiql: boolean): (receipt: Receipt) => HttpResponse {
  const icon = pageAsset('icon.svg').path;
  const styles = [pageAsset('site.css').path, pageAsset('docs/client/docs.css').path];
  const root = '../';
  const header = siteHeader(undefined, { root, iconPath: icon, hasGraphiql });

  return ({ id, domain, created_at: createdAt, jws }) => {
    const [, encoded = ''] = jws.split('.');
    const payload = readPayload(jsonIn(Buffer.from(encoded, 'base64url').toString()));
    if (!payload) throw new Error('A stored receipt cannot be read.');
    const rows = stepsOf(payload).map(({ at, source, isControl, asked, answered, ms }) =>
      [
        at.slice(11, 23),
        sourceNames[source],
        `${asked}${isControl ? ', as a control' : ''}`,
        answered,
        ms === null ? '' : `${ms} ms`,
      ].map((cell) => html`${cell}`),
    );
    const answers = payload.answers.map(
      ({ source, answer }) => html`<li>${sourceNames[source]} says: ${answer}.</li>`,
    );
    const head = renderHead({
      title: `Receipt of ${domain}`,
      description: `What was seen when ${domain} was looked up.`,
      icon: root + icon.slice(1),
      styles: styles.map((style) => root + style.slice(1)),
    });
    const { html: body } = html`<!doctype html>
      <html lang="en">
        ${head}
        <body>
          ${header}
          <main>
            <h1>Receipt of ${domain}</h1>
            <p class="lead">${conclusionOf(payload)}</p>
            <p>
              ${payload.issuer} looked the name up and signed what it saw at
              <time datetime="${createdAt}">${createdAt}</time>.
            </p>
            <h2>What each source says</h2>
            <ul>
              ${answers}
            </ul>
            <h2>What was asked and answered</h2>
            ${table(
              'What was asked and answered',
              ['Time (UTC)', 'Source', 'Asked', 'Answered', 'Duration'],
              rows,
            )}
            <h2>Check it</h2>
            <p>
              The <a href="${root}v1/receipts/${id}">signed file</a> has every byte.
              <code>rdap-gateway verify</code> checks the signature and derives the verdict again:
              see <a href="${root}docs/receipts">Receipts</a>.
            </p>
          </main>
        </body>
      </html>`;
    return { status: 200, headers, body };
  };
}

const headers = {
  ...pageHeaders(["default-src 'none'", "style-src 'self'", "img-src 'self'"], 'no-store'),
  'x-robots-tag': 'noindex',
};
