import { describe, expect, it } from 'vitest';
import { pendingOutcome } from '../../src/lookup/lookup-outcome.ts';
import { createRow } from '../../src/lookup/row.ts';

const planned = { id: 'a.test', domain: 'a.test', name: 'a', tld: 'test', refusal: null };

describe('the outcome of a row', () => {
  it('is looked up once: a promise until it settles, then a plain value', async () => {
    const outcome = pendingOutcome(1);
    let lookups = 0;
    const row = createRow(planned, async () => {
      lookups += 1;
      return outcome;
    });
    expect(lookups).toBe(0);
    const pending = row.outcome();
    expect(pending).toBeInstanceOf(Promise);
    expect(row.outcome()).toBe(pending);
    expect(await pending).toBe(outcome);
    expect(row.outcome()).toBe(outcome);
    expect(lookups).toBe(1);
  });

  it('rejects for its caller, and causes no unhandled rejection', async () => {
    const row = createRow(planned, () => Promise.reject(new Error('broken')));
    await expect(row.outcome()).rejects.toThrow('broken');
  });

  it('is a plain value if it is available immediately', () => {
    const outcome = pendingOutcome(1);
    expect(createRow(planned, () => outcome).outcome()).toBe(outcome);
  });
});
