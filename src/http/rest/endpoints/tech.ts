import { skipCache } from '../../messages/deprecations.ts';
import * as shape from '../shape.ts';
import { readProblems, siteEndpoint } from '../site-endpoint.ts';

interface Technologies {
  readonly technologies: readonly { readonly version: string | null }[];
}

/** Absent if the page does not show it. */
const version: shape.Member<Technologies['technologies'][number]> = [
  ({ properties }) => ({ ...properties['version'], type: 'string' }),
  (technology) => technology.version ?? undefined,
  'optional',
];

/** `GET /v1/tech`: the products that a page shows that it uses. */
export const tech = siteEndpoint<Technologies>('/v1/tech', {
  lookup: 'technologies',
  summary: 'Recognize the technologies of a page',
  description:
    'Recognizes well-known products by headers, cookies, HTML and DNS records, each with its evidence. Scripts are not run.',
  target: 'domain or url',
  problems: readProblems,
  aliases: { skip_cache: skipCache },
  selection: `
    technologies {
      id: technologyId name category version evidence_details: evidence { source key matched }
    }
    summary { cdn server framework cms hosting analytics }
    headers
  `,
  name: 'TechnologiesBody',
  keepsResult: true,
  members: {
    technologies: shape.items(
      'technologies',
      'Technology',
      ({ technologies }) => technologies,
      { version },
      ['version'],
    ),
  },
});
