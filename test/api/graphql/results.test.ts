import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { GraphQLInt, GraphQLNonNull, GraphQLObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { unlimitedWork } from '../../../src/accounts/work-limit.ts';
import { systemClock } from '../../../src/clock.ts';
import { createEtagFactory } from '../../../src/server/messages/etag.ts';
import type { AuthenticatedRequest } from '../../../src/server/http-request-context.ts';
import { graphqlHandler } from '../../../src/api/graphql/handler.ts';
import { executionOf } from '../../support/gateways/execution.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';
import { remaining } from '../../support/requests/streams.ts';

// The gateway's own schema has no non-null field that a test could make fail.
const failing = {
  type: new GraphQLNonNull(GraphQLInt),
  resolve: () => {
    throw new Error('the secret cause');
  },
};
const query = new GraphQLObjectType({
  name: 'Query',
  fields: { good: { type: GraphQLInt, resolve: () => 1 }, failing },
});

it.each(
  Object.entries({
    'multipart/mixed': {
      incremental: [
        {
          data: null,
          path: [],
          errors: [
            expect.objectContaining({ extensions: { code: 'internal', type: '/errors#internal' } }),
          ],
        },
      ],
    },
    'multipart/mixed;incrementalSpec=v0.2': {
      completed: [
        {
          id: '0',
          errors: [
            expect.objectContaining({ extensions: { code: 'internal', type: '/errors#internal' } }),
          ],
        },
      ],
    },
  }),
)(
  'a deferred fragment that fails sends the problem code without its cause: %s',
  async (accept, part) => {
    const { log, lines } = memoryLog();
    const handle = graphqlHandler({
      execution: executionOf(query),
      allowIntrospection: true,
      docsUrl: () => '',
      etagOf: createEtagFactory(''),
      clock: systemClock,
      log,
    });
    const { body } = await handle(requestFor('{ good ... @defer { failing } }', accept));
    const text = (await remaining(body as AsyncGenerator<string>)).join('');
    const payloads = text.match(/^\{.*\}$/gm)?.map((json) => JSON.parse(json));
    expect(payloads).toContainEqual(expect.objectContaining(part));
    expect(text).not.toContain('secret');
    expect(lines).toMatchObject([{ err: { message: 'the secret cause' } }]);
  },
);

function requestFor(document: string, accept: string): AuthenticatedRequest {
  const request = Object.assign(new IncomingMessage(new Socket()), { headers: { accept } });
  const { signal } = new AbortController();
  return {
    request,
    method: 'GET',
    path: '/graphql',
    query: new URLSearchParams({ query: document }),
    requestId: '',
    signal: () => signal,
    usedAliases: [],
    responseHeaders: {},
    account: '',
    payer: undefined,
    work: unlimitedWork,
    onResponseEnd: () => {},
  };
}
