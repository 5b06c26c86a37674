import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import {
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLString,
} from 'graphql';
import { expect, it } from 'vitest';
import { unlimitedWork } from '../../../src/accounts/work-limit.ts';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import { systemClock } from '../../../src/clock.ts';
import type { Context } from '../../../src/execution/context.ts';
import type { AuthenticatedRequest } from '../../../src/server/http-request-context.ts';
import { createEtagFactory } from '../../../src/server/messages/etag.ts';
import { graphqlHandler } from '../../../src/api/graphql/handler.ts';
import { createLog } from '../../../src/log.ts';
import { openAccounts } from '../../../src/storage/open.ts';
import { executionOf } from '../../support/gateways/execution.ts';

// With the gateway's own schema, a response too long to serialize would not fit into memory.
const unserializable = new GraphQLScalarType({ name: 'Unserializable', serialize: () => 1n });
const query = new GraphQLObjectType<unknown, Context>({
  name: 'Query',
  fields: {
    domain: {
      type: GraphQLString,
      args: { name: { type: new GraphQLNonNull(GraphQLString) } },
      resolve: async (_root, args: { readonly name: string }, { lookup }) =>
        (await lookup.single(args).outcome()).data ?? 'UNKNOWN',
    },
    good: { type: GraphQLInt, resolve: () => 1 },
    bad: { type: unserializable, resolve: () => 1 },
  },
});

it.each([
  ['good', 1],
  ['bad', 0],
])('a response is charged only if it can be serialized: %s', async (field, charged) => {
  const ledger = await openAccounts('memory:', { clock: systemClock, freeCredits: 10 });
  const payer = await ledger.create(
    { name: 'Customer', credits: null, origins: [] },
    hashOf(generateKey()),
  );
  const closedTasks: (() => void)[] = [];
  const request = requestFor(`{ domain(name: "a.example") ${field} }`, (task) => {
    closedTasks.push(task);
  });
  const handle = graphqlHandler({
    execution: executionOf(query, { ledger }),
    allowIntrospection: true,
    docsUrl: () => '',
    etagOf: createEtagFactory(''),
    clock: systemClock,
    log: createLog('silent'),
  });
  const response = Promise.resolve(handle({ ...request, account: payer.id, payer }));
  await (charged > 0 ? response : expect(response).rejects.toThrow(TypeError));
  for (const task of closedTasks) task();
  expect((await ledger.balance(payer.id)).used).toEqual(charged);
  expect(request.responseHeaders['x-credits-charged']).toEqual(String(charged));
});

function requestFor(
  document: string,
  onResponseEnd: AuthenticatedRequest['onResponseEnd'],
): Omit<AuthenticatedRequest, 'account' | 'payer'> {
  const request = new IncomingMessage(new Socket());
  const path = '/graphql';
  const { signal } = new AbortController();
  return {
    request,
    method: 'GET',
    path,
    query: new URLSearchParams({ query: document }),
    requestId: '',
    signal: () => signal,
    usedAliases: [],
    responseHeaders: {},
    onResponseEnd,
    work: unlimitedWork,
  };
}
