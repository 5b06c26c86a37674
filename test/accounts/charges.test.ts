import { beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '../../src/accounts/account.ts';
import { hashOf, generateKey } from '../../src/accounts/api-key.ts';
import { Charges, type OperationOutcome } from '../../src/execution/charging/charges.ts';
import { nameCharges } from '../../src/execution/charging/name-charges.ts';
import type { AccountStore } from '../../src/accounts/store.ts';
import { systemClock } from '../../src/clock.ts';
import { parseEntry } from '../../src/domain/names/parsed-name.ts';
import type { DomainName } from '../../src/domain/names/domain-name.ts';
import { openAccounts } from '../../src/storage/open.ts';

let ledger: AccountStore;
let payer: Account;
let charges: Charges;
beforeEach(async () => {
  ledger = await openAccounts('memory:', { clock: systemClock, freeCredits: 10 });
  const plan = { name: 'Customer', credits: null, origins: [] };
  payer = await ledger.create(plan, hashOf(generateKey()));
  charges = new Charges(ledger, payer.id);
});
const used = async () => (await ledger.balance(payer.id)).used;

const names = ['answered', 'sent', 'queued1', 'queued2', 'queued3', 'queued4'].map((label) =>
  parseEntry(`${label}.example`),
);
const [answered, ...pending] = names.map(({ domain }) => domain as DomainName);

/** The charges of a list of six names, one of which is answered: four credits if all are due. */
const list = (isFree = false) =>
  nameCharges({
    fields: [{ names, detail: 'verdict', priority: 'bulk' }],
    isFree: () => isFree,
    progress: {
      answered: new Set(answered && [answered]),
      withoutRecord: new Set<never>(),
      pending: new Set(pending),
      sent: new Set(pending.slice(0, 1)),
      queried: new Set(pending),
      stored: new Set(),
    },
  });

// A list costs one credit, and half a credit per name.
it.each<readonly [outcome: OperationOutcome, credits: number, reason: string]>([
  ['completed', 4, 'all names, as the lookups of pending rows continue'],
  ['aborted', 2, 'the answered and sent names, as the other lookups are dropped'],
  ['failed', 0, 'nothing'],
])('charges an operation with pending rows that %s %i credits: %s', async (outcome, credits) => {
  await charges.open(list(), 0, false);
  expect((await charges.settle(outcome))?.charged).toBe(credits);
  expect(await used()).toBe(credits);
});

it.each<readonly [outcome: OperationOutcome, credits: number]>([
  ['completed', 4],
  ['aborted', 4],
  ['failed', 0],
])('charges other lookups of an operation that %s %i credits', async (outcome, credits) => {
  await charges.open(list(true), 3, false);
  expect(await charges.reserve(5)).toBeUndefined();
  charges.recordSent('answered', 2);
  charges.recordAnswered('answered', 2);
  charges.recordSent('running', 2);
  charges.recordSent('failed', 3);
  charges.recordFailed('failed');
  const cost = { requested: 8, charged: credits, refunded: 8 - credits, remaining: 10 - credits };
  expect(await charges.settle(outcome)).toEqual(cost);
  expect(await used()).toBe(credits);
});

describe('charges that were settled', () => {
  it('do not change if the operation ends a second time', async () => {
    await charges.open(list(), 0, true);
    await charges.settle('completed');
    expect((await charges.settle('aborted'))?.charged).toBe(4);
    expect(await used()).toBe(4);
  });

  it('reserve nothing for what comes later', async () => {
    await charges.open(list(), 0, false);
    await charges.settle('aborted');
    await charges.reserve(5);
    expect(await used()).toBe(2);
  });
});

it('opens a free operation without a cost if the ledger is not available', async () => {
  await ledger.close();
  await charges.open(list(true), 0, true);
  expect(await charges.currentCost()).toBeUndefined();
  expect(await charges.settle('completed')).toBeUndefined();
  await expect(charges.open(list(), 1, false)).rejects.toThrow('Credit accounting');
});

it('rejects an operation that was not reserved and cannot be paid, and refunds the rest', async () => {
  await charges.open(list(), 0, true);
  expect(await charges.reserve(7)).toBeUndefined();
  charges.recordAnswered('object', 7);
  await expect(charges.settle('completed')).rejects.toMatchObject({
    credits: { required: 4, remaining: 3 },
  });
  expect(await used()).toBe(0);
});
