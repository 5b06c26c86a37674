import { endpoint, parameterProblems } from '../endpoint.ts';
import { readRequest } from '../key-naming.ts';
import { schemaRef } from '../shape.ts';
import { freeOfCharge } from './tlds.ts';

/** `GET /v1/accuracy`: how often AVAILABLE was wrong, per TLD. */
export const accuracy = endpoint('GET /v1/accuracy', {
  tag: 'TLDs',
  summary: 'Get how often “available” was wrong',
  description: `Returns a row for each TLD of which AVAILABLE answers were judged again, after an hour and after a day. The operator sets which share is (\`ACCURACY_SAMPLE\`); by default, there are no rows. ${freeOfCharge}`,
  success: 'The TLDs with their samples, in alphabetical order.',
  parameters: {},
  problems: parameterProblems,
  schema: () => schemaRef('AccuracyRows'),
  parse: (http) => ({
    ...readRequest(http, () => ({})),
    variables: {},
    render: (_data, _durationMs, catalogue) => ({
      body: {
        results: catalogue.accuracy().map(({ tld, sampled, contradicted, upper, since }) => ({
          tld,
          sampled,
          contradicted,
          upper_bound: upper,
          since: new Date(since).toISOString(),
        })),
      },
    }),
  }),
});
