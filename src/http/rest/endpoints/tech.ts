import { skipCache } from '../../messages/deprecations.ts';
import * as shape from '../shape.ts';
import { readProblems, siteEndpoint } from '../site-endpoint.ts';

interface Summary {
  readonly analytics: readonly string[];
  readonly [purpose: string]: string | readonly string[] | null;
}

interface Technologies {
  readonly technologies: readonly { readonly version: string | null }[];
  readonly summary: Summary | null;
}

/** Absent if the page does not show it. */
const version: shape.Member<Technologies['technologies'][number]> = [
  ({ properties }) => ({ ...properties['version'], type: 'string' }),
  (technology) => technology.version ?? undefined,
  'optional',
];

const purposes = {
  cdn: 'The CDN.',
  server: 'The web server.',
  framework: 'The framework.',
  cms: 'The content management system.',
  hosting: 'The hosting provider.',
};

/** The products by purpose; a purpose without one is absent. */
const summary = shape.objectType<Summary>('TechnologySummary', {
  ...Object.fromEntries(
    Object.entries(purposes).map(([purpose, description]): [string, shape.Member<Summary>] => [
      purpose,
      [shape.text(description), (data) => data[purpose] ?? undefined, 'optional'],
    ]),
  ),
  analytics: shape.texts('Analytics products.', ({ analytics }) => analytics),
});

/** `GET /v1/tech`: the products that a page shows that it uses. */
export const tech = siteEndpoint<Technologies>('/v1/tech', {
  lookup: 'technologies',
  summary: 'Recognize the technologies of a page',
  description:
    'Recognizes well-known products by headers, cookies, HTML and DNS records, each with its evidence. Scripts are not run.',
  target: 'domain or url',
  problems: readProblems,
  unsupported: {
    mode: { accepts: ['fast'], detail: 'one page is read, as with `fast`.' },
    max_pages: { accepts: ['1'], detail: 'one page is read.' },
  },
  aliases: { skip_cache: skipCache },
  selection: `
    technologies {
      id: technologyId name category version evidence_details: evidence { source key matched }
    }
    url: finalUrl
    summary { cdn server framework cms hosting analytics }
    headers
  `,
  name: 'TechnologiesBody',
  keepsResult: true,
  members: {
    summary: [
      (source) => shape.orNull(summary.print(source)),
      (data) => data.summary && summary.render(data.summary),
    ],
    total_time_ms: shape.integer(
      'How long the result took, in milliseconds.',
      ({ latency_ms: latency }) => Math.round(latency),
    ),
    technologies: shape.items(
      'technologies',
      'Technology',
      ({ technologies }) => technologies,
      { version },
      ['version'],
    ),
  },
});
