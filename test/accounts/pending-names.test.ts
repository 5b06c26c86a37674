import { expect, it } from 'vitest';
import { hashOf, generateKey } from '../../src/accounts/api-key.ts';
import { openMeter, type OperationOutcome } from '../../src/accounts/credits.ts';
import { systemClock } from '../../src/clock.ts';
import { parseEntry } from '../../src/domain/parsed-name.ts';
import type { DomainName } from '../../src/domain/domain-name.ts';
import { openAccounts } from '../../src/storage/open.ts';

const names = ['answered', 'sent', 'queued1', 'queued2', 'queued3', 'queued4'].map((label) =>
  parseEntry(`${label}.example`),
);
const [answered, ...pending] = names.map(({ domain }) => domain as DomainName);

// A list costs one credit, and half a credit per name.
it.each<readonly [outcome: OperationOutcome, credits: number, reason: string]>([
  ['completed', 4, 'all names, as the lookups of pending rows continue'],
  ['aborted', 2, 'the answered and sent names, as the other lookups are dropped'],
  ['failed', 0, 'nothing'],
])('charges an operation with pending rows that %s %i credits: %s', async (outcome, credits) => {
  const ledger = await openAccounts('memory:', { clock: systemClock, freeCredits: 10 });
  const payer = await ledger.create(
    { name: 'Customer', credits: null, origins: [] },
    hashOf(generateKey()),
  );
  const meter = await openMeter(ledger, {
    payer,
    fields: [{ names, detail: 'verdict', priority: 'bulk' }],
    isFree: () => false,
    progress: {
      answered: new Set(answered && [answered]),
      withoutRecord: new Set<never>(),
      pending: new Set(pending),
      sent: new Set(pending.slice(0, 1)),
      queried: new Set(pending),
      stored: new Set(),
    },
    isChargedAtEnd: false,
  });
  expect((await meter.settle(outcome)).charged).toBe(credits);
  expect((await ledger.balance(payer.id)).used).toBe(credits);
});
