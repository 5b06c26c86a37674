import { GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLString } from 'graphql';
import { expect, it, vi } from 'vitest';
import { hashOf, generateKey } from '../../src/accounts/api-key.ts';
import { unlimitedWork } from '../../src/accounts/work-limit.ts';
import { systemClock } from '../../src/clock.ts';
import { createAnswer, failedAnswer } from '../../src/domain/answer.ts';
import { Problem } from '../../src/domain/problems.ts';
import type { Registry } from '../../src/domain/source.ts';
import type { Context } from '../../src/execution/context.ts';
import type { ExecutionOptions } from '../../src/execution/execution.ts';
import { prices } from '../../src/execution/charging/prices.ts';
import { dataOf } from '../../src/execution/result.ts';
import { statusOf } from '../../src/lookup/lookup-outcome.ts';
import { createNameCapacity } from '../../src/lookup/name-capacity.ts';
import type { DomainRow } from '../../src/lookup/row.ts';
import { FairSlots } from '../../src/outbound/queues/fair-slots.ts';
import { SingleFlight } from '../../src/registries/cache/single-flight.ts';
import { openAccounts } from '../../src/storage/open.ts';
import { executionOf } from '../support/gateways/execution.ts';

const query = new GraphQLObjectType<unknown, Context>({
  name: 'Query',
  fields: {
    domain: {
      type: GraphQLString,
      args: { name: { type: new GraphQLNonNull(GraphQLString) } },
      resolve: async (_root, args: { readonly name: string }, { lookup }) =>
        (await lookup.single(args).outcome()).data ?? 'UNKNOWN',
    },
  },
});
const document = '{ domain(name: "a.example") }';

interface OpenOptions extends Partial<ExecutionOptions> {
  readonly root?: GraphQLObjectType;
  readonly text?: string;
  readonly variables?: object;
}

/** Opens an execution with room for one name, and a caller with ten credits. */
async function open(
  beforeAnswer?: () => Promise<void>,
  { root = query, text = document, variables = {}, ...overrides }: OpenOptions = {},
) {
  const ledger = await openAccounts('memory:', { clock: systemClock, freeCredits: 10 });
  const plan = { name: 'Customer', credits: null, origins: [] };
  const payer = await ledger.create(plan, hashOf(generateKey()));
  const execution = executionOf(
    root,
    { ledger, nameCapacity: createNameCapacity(1), ...overrides },
    beforeAnswer,
  );
  const connection = new AbortController();
  const caller = { account: payer.id, payer, work: unlimitedWork, signal: () => connection.signal };
  const operation = execution.prepare(text, { work: unlimitedWork }).coerce({ ...variables });
  const used = async () => (await ledger.balance(payer.id)).used;
  return { execution, operation, caller, connection, used };
}

it('charges an operation whose result is rendered', async () => {
  const { execution, operation, caller, used } = await open();
  const result = await execution.run(operation, caller, { mode: 'buffered' }, (executed) => ({
    value: dataOf(executed),
  }));
  expect(result).toMatchObject({ value: { domain: 'AVAILABLE' }, cost: { charged: 1 } });
  expect(await used()).toBe(1);
});

it('refunds an operation whose result cannot be rendered, and returns the error', async () => {
  const { execution, operation, caller, used } = await open();
  const error = new Problem('registry_error', 'The registry failed.');
  const result = await execution.run(operation, caller, { mode: 'buffered' }, () => {
    throw error;
  });
  expect(result).toMatchObject({ error, cost: { charged: 0 }, isRefused: false });
  expect(await used()).toBe(0);
});

it('charges for an operation whose result is too large, as it has done its work', async () => {
  const { execution, operation, caller, used } = await open();
  const error = new Problem('query_too_large', 'Too long.');
  const result = await execution.run(operation, caller, { mode: 'buffered' }, () => {
    throw error;
  });
  expect(result).toMatchObject({ error, cost: { charged: 1 }, isRefused: false });
  expect(await used()).toBe(1);
});

it('counts the work of a result as free only if nothing is charged', async () => {
  const { execution, operation, caller } = await open();
  const counted: number[] = [];
  const work = { ...unlimitedWork, count: (ms: number) => void counted.push(ms) };
  const run = (render: () => { readonly value: null }) =>
    execution.run(operation, { ...caller, work }, { mode: 'buffered' }, (_executed, { lookup }) => {
      lookup.objectValues.spend(Array.from({ length: 100 }, String));
      return render();
    });
  await run(() => ({ value: null }));
  expect(counted).toEqual([]);
  await run(() => {
    throw new Problem('registry_error', 'The registry failed.');
  });
  expect(counted).toEqual([expect.any(Number)]);
  expect(counted[0]).toBeGreaterThan(1);
});

it('returns the problem of an operation that it does not open', async () => {
  const { execution, caller, used } = await open();
  const names = Array.from(
    { length: 11 },
    (_, index) => `n${index}: domain(name: "${index}.example")`,
  );
  const prepared = execution.prepare(`{ ${names.join(' ')} }`, { work: unlimitedWork });
  const options = { mode: 'buffered' } as const;
  const result = await execution.run(prepared.coerce({}), caller, options, dataOf as never);
  expect(result).toMatchObject({ error: { code: 'too_many_lookups' }, isRefused: true });
  expect(await used()).toBe(0);
});

it('frees the names of an operation that its account cannot pay', async () => {
  const nameCapacity = createNameCapacity(1);
  const { execution, operation, caller } = await open(undefined, { nameCapacity });
  const run = () =>
    execution.run(operation, caller, { mode: 'buffered' }, () => ({ value: undefined }));
  for (let used = 0; used < 10; used += 1) await run();
  expect(await run()).toMatchObject({ error: { code: 'insufficient_credits' }, isRefused: true });
  expect(() => nameCapacity(1, 'another account')()).not.toThrow();
});

it('sends nothing for a field that begins its first lookup after the response', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: signal, resolve: begin } = Promise.withResolvers<AbortSignal>();
  const fields = {
    late: {
      type: GraphQLString,
      resolve: async (_root: unknown, _args: object, { lookup }: Context) => {
        await ended;
        begin(lookup.laterRequest().signal);
      },
    },
    // Its error is the whole result, which does not wait for the other field.
    broken: {
      type: new GraphQLNonNull(GraphQLString),
      resolve: () => Promise.reject(new Problem('registry_error', 'The registry failed.')),
    },
  };
  const root = new GraphQLObjectType<unknown, Context>({ name: 'Query', fields });
  const { execution, operation, caller } = await open(undefined, { root, text: '{ late broken }' });
  await execution.run(operation, caller, { mode: 'buffered' }, () => ({ value: undefined }));
  end();
  expect((await signal).aborted).toBe(true);
});

it('settles and frees the names as soon as the client disconnects, before the answer', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { promise: sent, resolve: send } = Promise.withResolvers<void>();
  const nameCapacity = createNameCapacity(1);
  const wait = async () => {
    send();
    await answered;
  };
  const { execution, operation, caller, connection, used } = await open(wait, { nameCapacity });
  const run = () =>
    execution.run(operation, caller, { mode: 'buffered' }, () => ({ value: undefined }));
  const disconnected = run();
  await sent;
  expect(await run()).toMatchObject({ error: { code: 'overloaded' }, isRefused: true });
  connection.abort();
  await vi.waitFor(() => nameCapacity(1, 'another account')());
  expect(await used()).toBe(1);
  answer();
  expect(await disconnected).toMatchObject({ cost: { charged: 1 } });
  expect(await run()).not.toMatchObject({ error: { code: 'overloaded' } });
});

/** A list of names, one field of which fails as soon as `fail` is called. */
function failingQuery(failure: Promise<never>): GraphQLObjectType {
  const text = new GraphQLNonNull(GraphQLString);
  const row = new GraphQLObjectType<DomainRow>({
    name: 'Domain',
    fields: {
      status: { type: text, resolve: async (name) => statusOf(await name.outcome()) },
      failing: { type: text, resolve: () => failure },
    },
  });
  return new GraphQLObjectType<unknown, Context>({
    name: 'Query',
    fields: {
      domains: {
        type: new GraphQLList(new GraphQLNonNull(row)),
        args: { domains: { type: new GraphQLList(text) } },
        resolve: (_root, args, { lookup }) => lookup.search(args),
      },
    },
  });
}

it.each([
  ['in one piece', '', 'buffered'],
  ['in parts', '... @defer { __typename }', 'streaming'],
] as const)(
  'charges what was sent when a null ends a result %s, and sends nothing else',
  async (_how, more, mode) => {
    const { promise: failure, reject: fail } = Promise.withResolvers<never>();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const queue = new FairSlots({ maxInFlight: 6, clock: systemClock });
    const flights = new SingleFlight(systemClock);
    const sent: string[] = [];
    const registry: Registry = {
      id: 'test',
      sources: [],
      readCache: async () => new Map(),
      lookup: (names, request) =>
        flights.lookUp(names, request, async (shared) => {
          const release = await queue.acquire(shared);
          if (!release) return failedAnswer(new Problem('registry_busy', ''));
          shared.observer?.onSent(names.name.ascii);
          sent.push(names.name.ascii);
          if (sent.length === 3) fail(new Error('This field fails.'));
          await answered;
          release();
          return createAnswer({ verdict: 'AVAILABLE' });
        }),
    };
    const domains = Array.from({ length: 10 }, (_, index) => `n${index}.example`);
    const { execution, operation, caller, used } = await open(undefined, {
      root: failingQuery(failure),
      text: `query ($domains: [String!]) { domains(domains: $domains) { status failing } ${more} }`,
      variables: { domains },
      directory: { resolve: () => ({ registry, policy: { kind: 'UNKNOWN' } }) },
      nameCapacity: createNameCapacity(),
    });
    const options = { mode, deferFormat: '2022' } as const;
    const result = await execution.stream(operation, caller, options, ({ data }) => ({
      value: data,
    }));
    if ('parts' in result) for await (const part of result.parts) expect(part).toBeDefined();
    else expect(result).toMatchObject({ value: { domains: null } });
    expect([sent.length, await used()]).toEqual([3, prices.list(3)]);
    answer();
    await new Promise((resolve) => setImmediate(resolve));
    expect([sent.length, await used()]).toEqual([3, prices.list(3)]);
  },
);
