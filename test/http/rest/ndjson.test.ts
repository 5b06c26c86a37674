import { describe, expect, it } from 'vitest';
import { fullNameInput } from '../../../src/http/rest/bulk/inputs.ts';
import { ndjsonLines } from '../../../src/http/rest/ndjson.ts';
import { tally as tallyOf, type RestRow } from '../../../src/http/rest/rows.ts';

function rowOf(domain: string, status = 'AVAILABLE', reason: string | null = null): RestRow {
  const available = status === 'AVAILABLE' ? true : status === 'REGISTERED' ? false : null;
  const [, tld = ''] = domain.split('.');
  const asked = {
    confidence: available === null ? null : 'AUTHORITATIVE',
    source: 'rdap',
    rdap_endpoint: 'https://rdap.test/',
    cached: false,
    stale: false,
    checked_at: '2026-11-21T00:00:00.000Z',
  };
  return {
    domain,
    tld,
    available,
    status,
    ...asked,
    latency_ms: 1,
    reason,
    fresh_until: '2026-11-21T00:05:00.000Z',
  };
}

const tally = (rows: readonly RestRow[]) => tallyOf(rows, { durationMs: 5, hasBudget: false });

async function* asKnown(...domains: string[]): AsyncGenerator<RestRow, void, void> {
  for (const domain of domains) yield rowOf(domain);
}

async function* failed(): AsyncGenerator<RestRow, void, void> {
  yield rowOf('a.test', 'UNKNOWN', 'registry_timeout');
}

const counted = async (rows: readonly RestRow[]) => ({
  total: rows.length,
  credits: { charged: 2 },
});

async function linesOf(chunks: AsyncIterable<string>): Promise<Record<string, unknown>[]> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  expect(text.endsWith('\n')).toBe(true);
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

describe('rows as NDJSON', () => {
  it('come as they are known, each with the input that asked for it and its place', async () => {
    const lines = await linesOf(
      ndjsonLines(
        ['a.test', 'b.test', 'c.test'].map(fullNameInput),
        asKnown('c.test', 'a.test', 'b.test'),
        tally,
      ),
    );
    expect(lines.slice(0, 3)).toMatchObject([
      { index: 2, input: 'c.test', domain: 'c.test' },
      { index: 0, input: 'a.test', domain: 'a.test' },
      { index: 1, input: 'b.test', domain: 'b.test' },
    ]);
  });

  it('come once for each input that asks for the name, in any spelling', async () => {
    const inputs = [' A.test', 'b.test', 'a.TEST.', 'no name', 'a.test', 'no name'].map(
      fullNameInput,
    );
    const lines = await linesOf(ndjsonLines(inputs, asKnown('b.test', 'a.test', 'no name'), tally));
    expect(lines.slice(0, -1).map(({ index, input }) => [index, input])).toEqual([
      [1, 'b.test'],
      [0, ' A.test'],
      [2, 'a.TEST.'],
      [4, 'a.test'],
      [3, 'no name'],
      [5, 'no name'],
    ]);
    expect(lines.at(-1)).toEqual({ meta: expect.objectContaining({ total: 6, available: 6 }) });
  });

  it('are the same rows as in one piece', async () => {
    const [line] = await linesOf(ndjsonLines(['a.test'].map(fullNameInput), failed(), tally));
    expect(line).toMatchObject({ status: 'unknown', available: null, reason: 'registry_timeout' });
    const [plain] = await linesOf(
      ndjsonLines(['a.test'].map(fullNameInput), asKnown('a.test'), tally),
    );
    expect(plain).not.toHaveProperty('reason');
  });

  it('end with one line that is about all of them, also when that takes a while or there are none', async () => {
    expect(
      (await linesOf(ndjsonLines(['a.test'].map(fullNameInput), asKnown('a.test'), counted))).at(
        -1,
      ),
    ).toEqual({
      meta: { total: 1, credits: { charged: 2 } },
    });
    expect(await linesOf(ndjsonLines(['a.test'].map(fullNameInput), asKnown(), counted))).toEqual([
      { meta: { total: 0, credits: { charged: 2 } } },
    ]);
  });

  it('are not taken before somebody reads, and end when nobody does any more', async () => {
    const taken: string[] = [];
    async function* watched() {
      try {
        for await (const row of asKnown('a.test', 'b.test', 'c.test')) {
          taken.push(row.domain);
          yield row;
        }
      } finally {
        taken.push('ended');
      }
    }
    const lines = ndjsonLines(
      ['a.test', 'a.test', 'b.test', 'c.test'].map(fullNameInput),
      watched(),
      tally,
    );
    expect(taken).toEqual([]);
    await lines.next();
    await lines.next();
    expect(taken).toEqual(['a.test']);
    await lines.return();
    expect(taken).toEqual(['a.test', 'ended']);
    expect(await lines.next()).toEqual({ done: true, value: undefined });
  });
});
