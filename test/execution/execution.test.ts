import { GraphQLNonNull, GraphQLObjectType, GraphQLString } from 'graphql';
import { expect, it, vi } from 'vitest';
import { hashOf, generateKey } from '../../src/accounts/api-key.ts';
import { unlimitedWork } from '../../src/accounts/work-limit.ts';
import { systemClock } from '../../src/clock.ts';
import { Problem } from '../../src/domain/problems.ts';
import type { Context } from '../../src/execution/context.ts';
import { dataOf } from '../../src/execution/result.ts';
import { createNameCapacity } from '../../src/lookup/name-capacity.ts';
import { openAccounts } from '../../src/storage/open.ts';
import { executionOf } from '../support/execution.ts';

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

/** Opens an execution with room for one name, and a caller with ten credits. */
async function open(beforeAnswer?: () => Promise<void>) {
  const ledger = await openAccounts('memory:', { clock: systemClock, freeCredits: 10 });
  const plan = { name: 'Customer', credits: null, origins: [] };
  const payer = await ledger.create(plan, hashOf(generateKey()));
  const execution = executionOf(
    query,
    { ledger, nameCapacity: createNameCapacity(1) },
    beforeAnswer,
  );
  const connection = new AbortController();
  const caller = {
    account: payer.id,
    payer,
    work: unlimitedWork,
    signal: () => connection.signal,
  };
  const operation = (await execution.prepare(document, undefined, unlimitedWork)).coerce({});
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
  const prepared = await execution.prepare(`{ ${names.join(' ')} }`, undefined, unlimitedWork);
  const options = { mode: 'buffered' } as const;
  const result = await execution.run(prepared.coerce({}), caller, options, dataOf as never);
  expect(result).toMatchObject({ error: { code: 'too_many_lookups' }, isRefused: true });
  expect(await used()).toBe(0);
});

it('settles and frees the names as soon as the client disconnects, before the answer', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { promise: sent, resolve: send } = Promise.withResolvers<void>();
  const { execution, operation, caller, connection, used } = await open(async () => {
    send();
    await answered;
  });
  const run = () =>
    execution.run(operation, caller, { mode: 'buffered' }, () => ({ value: undefined }));
  const disconnected = run();
  await sent;
  expect(await run()).toMatchObject({ error: { code: 'overloaded' }, isRefused: true });
  connection.abort();
  await vi.waitFor(async () => expect(await used()).toBe(1));
  answer();
  expect(await disconnected).toMatchObject({ cost: { charged: 1 } });
  expect(await run()).not.toMatchObject({ error: { code: 'overloaded' } });
});
