import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { GraphQLInt, GraphQLObjectType, GraphQLScalarType, GraphQLSchema } from 'graphql';
import { expect, it } from 'vitest';
import { unlimitedWork } from '../../../src/accounts/work-limit.ts';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import { openMeter } from '../../../src/accounts/credits.ts';
import { systemClock } from '../../../src/clock.ts';
import type { Context, OpenContext } from '../../../src/execution/context.ts';
import { parseEntry } from '../../../src/domain/parsed-name.ts';
import type { DomainName } from '../../../src/domain/domain-name.ts';
import type { AuthenticatedRequest } from '../../../src/http/http-request-context.ts';
import { createEtagFactory } from '../../../src/http/messages/etag.ts';
import { graphqlHandler } from '../../../src/http/graphql/handler.ts';
import { TimeSlices } from '../../../src/execution/time-slices.ts';
import { createLog } from '../../../src/log.ts';
import { openAccounts } from '../../../src/storage/open.ts';
import { ValueLimit } from '../../../src/lookup/value-limit.ts';

// With the gateway's own schema, a response too long to serialize would not fit into memory.
const unserializable = new GraphQLScalarType({ name: 'Unserializable', serialize: () => 1n });
const fields = {
  good: { type: GraphQLInt, resolve: () => 1 },
  bad: { type: unserializable, resolve: () => 1 },
};
const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) });
const entry = parseEntry('a.example');

it.each([
  ['good', 1],
  ['bad', 0],
])('a response is charged only if it can be serialized: %s', async (field, charged) => {
  const ledger = await openAccounts('memory:', { clock: systemClock, freeCredits: 10 });
  const payer = await ledger.create(
    { name: 'Customer', credits: null, origins: [] },
    hashOf(generateKey()),
  );
  const answered = new Set([entry.domain as DomainName]);
  const openContext: OpenContext = async () => {
    const priced = [{ names: [entry], detail: 'verdict' as const, priority: 'single' as const }];
    const meter = await openMeter(ledger, {
      payer,
      fields: priced,
      isFree: () => false,
      progress: {
        answered,
        withoutRecord: new Set(),
        pending: new Set(),
        sent: answered,
        queried: answered,
        stored: new Set(),
      },
      isChargedAtEnd: false,
    });
    return {
      meter,
      lookup: {
        timings: { cache: 0, queue: 0, registry: 0 },
        outcomes: [],
        objectValues: new ValueLimit(),
      },
    } as unknown as Context;
  };
  const closedTasks: (() => void)[] = [];
  const request = requestFor(`{ ${field} }`, (task) => void closedTasks.push(task));
  const handle = graphqlHandler({
    schemas: { base: schema, full: schema },
    openContext,
    maxEntries: 10,
    slices: new TimeSlices(),
    allowIntrospection: true,
    docsUrl: () => '',
    etagOf: createEtagFactory(''),
    clock: systemClock,
    log: createLog('silent'),
  });
  const response = Promise.resolve(handle({ ...request, account: payer.id, payer }));
  await (charged > 0 ? response : expect(response).rejects.toThrow(TypeError));
  for (const task of closedTasks) task();
  expect([
    (await ledger.balance(payer.id)).used,
    request.responseHeaders['x-credits-charged'],
  ]).toEqual([charged, String(charged)]);
});

function requestFor(
  query: string,
  onResponseClosed: AuthenticatedRequest['onResponseClosed'],
): Omit<AuthenticatedRequest, 'account' | 'payer'> {
  const request = new IncomingMessage(new Socket());
  const path = '/graphql';
  const { signal } = new AbortController();
  return {
    request,
    method: 'GET',
    path,
    query: new URLSearchParams({ query }),
    requestId: '',
    signal: () => signal,
    usedAliases: [],
    responseHeaders: {},
    onResponseClosed,
    work: unlimitedWork,
  };
}
