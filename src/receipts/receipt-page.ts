import type { HttpResponse } from '../server/http-request-context.ts';
import { html, table } from '../website/docs/html.ts';
import { plainPageHeaders, renderPlainPage } from '../website/plain-page.ts';
import { renderPicture, pictureStyle } from '../website/render-picture.ts';
import type { PictureInput } from '../website/picture.d.ts';
import { conclusionOf as lookupConclusionOf, statementOf } from '../lookup/conclusion.ts';
import { statusOf, type LookupOutcome } from '../lookup/lookup-outcome.ts';
import { splitName, type DomainName } from '../domain/names/domain-name.ts';
import { timelineOf } from '../domain/timeline.ts';
import { lifeCycleOf } from '../registries/directory/life-cycles.ts';
import { controlsOf } from '../schema/evidence.ts';
import { jsonIn } from '../shared/shapes.ts';
import { readPayload, type Payload } from './payload.ts';
import { conclusionOf, sourceNames, stepsOf } from './reasons.ts';
import type { Receipt } from './receipts.ts';

/** Repeats the lookup of a receipt with its recorded answers. Rejects if they lead nowhere. */
export type Replay = (payload: Payload) => Promise<LookupOutcome>;

/** Returns a function that renders the page of a receipt, without scripts. */
export function receiptPage(
  hasGraphiql: boolean,
  replay: Replay,
): (receipt: Receipt) => Promise<HttpResponse> {
  const root = '../';

  return async ({ id, domain, created_at: createdAt, jws, url }) => {
    const [, encoded = ''] = jws.split('.');
    const payload = readPayload(jsonIn(Buffer.from(encoded, 'base64url').toString()));
    if (!payload) throw new Error('A stored receipt cannot be read.');

    const rows = stepsOf(payload).map(({ at, source, isControl, query, answered, ms }) =>
      [
        at.slice(11, 23),
        sourceNames[source],
        `${query}${isControl ? ', as a control' : ''}`,
        answered,
        ms === null ? '' : `${ms} ms`,
      ].map((cell) => html`${cell}`),
    );

    // A newer version of the gateway may query more than was recorded.
    const outcome = await replay(payload).catch(() => undefined);
    const signedAt = Date.parse(createdAt);
    const picture = outcome
      ? renderPicture(pictureInputOf(domain, outcome), signedAt)
      : html`<p>${conclusionOf(payload)}</p>`;
    const body = renderPlainPage({
      title: `Receipt of ${domain}`,
      description: `What was seen when ${domain} was looked up.`,
      root,
      hasGraphiql,
      styles: [pictureStyle.path],
      lead: html`${payload.issuer} looked the name up and signed what it saw,
        <time datetime="${createdAt}">${createdAt.slice(0, 19).replace('T', ' ')} UTC</time>.`,
      content: html`${picture}
        <h2>Queries and answers</h2>
        ${table(
          'Queries and answers',
          ['Time (UTC)', 'Source', 'Query', 'Answer', 'Duration'],
          rows,
        )}
        <h2>Check it</h2>
        <p>
          The <a href="${root}v1/receipts/${id}">signed file</a> has every byte.
          <code>rdap-gateway verify ${url}</code> checks the signature and derives the verdict
          again: see <a href="${root}docs/receipts">Receipts</a>.
        </p>`,
    });

    return { status: 200, headers, body };
  };
}

/** Returns what the picture shows of a lookup. */
function pictureInputOf(domain: string, outcome: LookupOutcome): PictureInput {
  const { sources = [] } = outcome.evidence?.response ?? {};
  const { data: verdict, registration, registrationSource: source, checkedAt } = outcome;
  const found = { verdict, registration: registration?.() ?? null, source, checkedAt };
  const { suffix } = splitName(domain as DomainName);

  return {
    domain,
    status: statusOf(outcome),
    checkedAt: timeOf(checkedAt),
    timeline: timelineOf(found, lifeCycleOf(suffix), undefined),
    evidence: {
      conclusion: lookupConclusionOf(outcome) ?? null,
      sources: sources.map((report) => ({
        source: report.source,
        server: report.endpoint ?? null,
        askedAt: timeOf(report.askedAt),
        answeredAt: timeOf(report.answeredAt),
        durationMs: (report.answeredAt ?? 0) - (report.askedAt ?? 0),
        answer: report.answer,
        statement: statementOf(report),
        controls: controlsOf(report).map(({ kind, passedAt }) => ({
          kind,
          passedAt: new Date(passedAt).toISOString(),
        })),
      })),
    },
  };
}

function timeOf(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

const headers = { ...plainPageHeaders, 'x-robots-tag': 'noindex' };
