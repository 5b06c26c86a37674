import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { GraphQLInt, GraphQLObjectType, GraphQLScalarType, GraphQLSchema } from 'graphql';
import { expect, it } from 'vitest';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import { openMeter } from '../../../src/accounts/credits.ts';
import { systemClock } from '../../../src/clock.ts';
import type { Context, OpenContext } from '../../../src/context.ts';
import { parseEntry } from '../../../src/domain/parsed-name.ts';
import type { DomainName } from '../../../src/domain/domain-name.ts';
import type { AuthenticatedRequest } from '../../../src/http/http-request-context.ts';
import { createEtagFactory } from '../../../src/http/response/etag.ts';
import { graphqlHandler } from '../../../src/http/graphql/handler.ts';
import { TimeSlices } from '../../../src/http/request/time-slices.ts';
import { createLog } from '../../../src/log.ts';
import { openAccounts } from '../../../src/storage/open.ts';

// No answer of the gateway's own schema that a test could have in memory is too long to be written.
const unwritable = new GraphQLScalarType({ name: 'Unwritable', serialize: () => 1n });
const fields = {
  good: { type: GraphQLInt, resolve: () => 1 },
  bad: { type: unwritable, resolve: () => 1 },
};
const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) });
const asked = parseEntry('a.example');

it.each([
  ['good', 1],
  ['bad', 0],
])('an answer that cannot be written is never charged: %s', async (field, charged) => {
  const ledger = await openAccounts('memory:', { clock: systemClock, freeCredits: 10 });
  const payer = await ledger.create(
    { name: 'Customer', credits: null, origins: [] },
    hashOf(generateKey()),
  );
  const answered = new Set([asked.domain as DomainName]);
  const openContext: OpenContext = async () => {
    const priced = [{ names: [asked], detail: 'verdict' as const, priority: 'single' as const }];
    const meter = await openMeter(ledger, {
      payer,
      fields: priced,
      isFree: () => false,
      progress: {
        answered,
        pending: new Set(),
        sent: answered,
        queried: answered,
        stored: new Set(),
      },
      isChargedAtEnd: false,
    });
    return {
      meter,
      lookup: { timings: { cache: 0, queue: 0, registry: 0 }, outcomes: [] },
    } as unknown as Context;
  };
  const done: (() => void)[] = [];
  const call = callFor(`{ ${field} }`, (task) => void done.push(task));
  const door = graphqlHandler({
    schemas: { base: schema, full: schema },
    openContext,
    maxEntries: 10,
    slices: new TimeSlices(),
    allowIntrospection: true,
    etagOf: createEtagFactory(''),
    clock: systemClock,
    log: createLog('silent'),
  });
  const answer = Promise.resolve(door({ ...call, account: payer.id, payer }));
  await (charged > 0 ? answer : expect(answer).rejects.toThrow(TypeError));
  for (const task of done) task();
  expect([
    (await ledger.balance(payer.id)).used,
    call.responseHeaders['x-credits-charged'],
  ]).toEqual([charged, String(charged)]);
});

function callFor(
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
    work: { spend: () => {}, refund: () => {} },
  };
}
