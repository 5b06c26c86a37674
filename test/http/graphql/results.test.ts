import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import {
  GraphQLDeferDirective,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  specifiedDirectives,
} from 'graphql';
import { expect, it } from 'vitest';
import { unlimitedWork } from '../../../src/accounts/work-limit.ts';
import { systemClock } from '../../../src/clock.ts';
import type { Context } from '../../../src/execution/context.ts';
import { createEtagFactory } from '../../../src/http/messages/etag.ts';
import type { AuthenticatedRequest } from '../../../src/http/http-request-context.ts';
import { graphqlHandler } from '../../../src/http/graphql/handler.ts';
import { TimeSlices } from '../../../src/execution/time-slices.ts';
import { ValueLimit } from '../../../src/lookup/value-limit.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { remaining } from '../../support/streams.ts';

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
const base = new GraphQLSchema({ query });
const full = new GraphQLSchema({
  query,
  directives: [...specifiedDirectives, GraphQLDeferDirective],
});
const schemas = { base, full };
const openContext = async () =>
  ({
    lookup: {
      timings: { cache: 0, queue: 0, registry: 0 },
      outcomes: [],
      objectValues: new ValueLimit(),
    },
  }) as unknown as Context;

it.each([
  [
    'multipart/mixed',
    {
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
  ],
  [
    'multipart/mixed;incrementalSpec=v0.2',
    {
      completed: [
        {
          id: '0',
          errors: [
            expect.objectContaining({ extensions: { code: 'internal', type: '/errors#internal' } }),
          ],
        },
      ],
    },
  ],
])(
  'a deferred fragment that fails sends the problem code without its cause: %s',
  async (accept, part) => {
    const { log, lines } = memoryLog();
    const slices = new TimeSlices();
    const parts = {
      maxEntries: 10,
      slices,
      allowIntrospection: true,
      docsUrl: () => '',
      etagOf: createEtagFactory(''),
      clock: systemClock,
      log,
    };
    const handle = graphqlHandler({ schemas, openContext, ...parts });
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
    onResponseClosed: () => {},
  };
}
