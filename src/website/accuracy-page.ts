import type { Accuracy } from '../domain/accuracy.ts';
import { toUnicodeName } from '../domain/names/domain-name.ts';
import type { Handler } from '../server/http-request-context.ts';
import { html } from './docs/html.ts';
import { chart } from './picture.js';
import { plainPageHeaders as headers, renderPlainPage } from './plain-page.ts';
import { pictureStyle, renderElement } from './render-picture.ts';

export const accuracyPath = '/accuracy';

/** The shares that the axis names. It has the scale of square roots, so that small ones are told apart. */
const tickShares = [0, 0.01, 0.1, 0.5, 1];

/** Returns the page that plots how often “available” was wrong, per TLD. It has no scripts. */
export function accuracyPage(accuracy: () => readonly Accuracy[], hasGraphiql: boolean): Handler {
  return async () => {
    const rows = accuracy();
    const plot = html`<figure class="picture">${renderElement(plotOf(rows))}</figure>`;
    const body = renderPlainPage({
      title: 'Accuracy',
      description: 'How often “available” was wrong, for each TLD, with its uncertainty.',
      root: './',
      hasGraphiql,
      styles: [pictureStyle.path],
      lead: 'How often “available” was wrong.',
      content: html`<p>
          A share of the answers is judged again after an hour and after a day. Each bar is the 95 %
          interval of the share of wrong answers: the fewer samples, the wider.
          <a href="docs/receipts#accuracy"
            >What counts as an error, and what cannot be seen this way</a
          >.
        </p>
        ${rows.length > 0 ? plot : html`<p>No answers have been judged yet.</p>`}`,
    });

    return { status: 200, headers, body };
  };
}

function plotOf(rows: readonly Accuracy[]) {
  return chart({
    caption: 'Share of wrong answers among “available”, on a scale of square roots',
    columns: ['TLD', '95 % interval', 'Samples'],
    from: 0,
    to: 1,
    ticks: tickShares.map((share) => ({ at: Math.sqrt(share), text: percent(share) })),
    rows: rows.map(({ tld, sampled, contradicted, lower, upper, since }) => ({
      label: `.${toUnicodeName(tld)}`,
      marks: [{ from: Math.sqrt(lower), to: Math.sqrt(upper), kind: 'said' }],
      text: `${contradicted} of ${sampled} wrong: ${percent(lower)} to ${percent(upper)}`,
      note: `Since ${new Date(since).toISOString().slice(0, 10)}`,
    })),
  });
}

/** Returns a share in percent, with two significant digits. */
function percent(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}
