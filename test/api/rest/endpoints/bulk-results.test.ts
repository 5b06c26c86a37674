import { describe, expect, it } from 'vitest';
import { fullNameInput } from '../../../../src/api/rest/bulk-request.ts';
import { ndjson, resultLines } from '../../../../src/api/rest/bulk-results.ts';
import { tallyOf, type RestRow } from '../../../../src/api/rest/rows.ts';

function rowOf(domain: string, status = 'AVAILABLE', reason: RestRow['reason'] = null): RestRow {
  const available = status === 'AVAILABLE' ? true : status === 'REGISTERED' ? false : null;
  const [, tld = ''] = domain.split('.');
  const evidence = {
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
    ...evidence,
    latency_ms: 1,
    reason,
    cautions: [],
    offers: null,
  };
}

const tally = (rows: readonly RestRow[]) => tallyOf({ rows, durationMs: 5, hasBudget: false });

async function* rowsFor(...domains: string[]): AsyncGenerator<RestRow, void, void> {
  for (const domain of domains) yield rowOf(domain);
}

async function* failedRows(): AsyncGenerator<RestRow, void, void> {
  yield rowOf('a.test', 'UNKNOWN', 'registry_timeout');
}

const asyncMeta = async (rows: readonly RestRow[]) => ({
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
  it('are sent as they arrive, each with its input and index', async () => {
    const lines = await linesOf(
      resultLines(
        ndjson,
        ['a.test', 'b.test', 'c.test'].map(fullNameInput),
        rowsFor('c.test', 'a.test', 'b.test'),
        tally,
      ),
    );
    expect(lines.slice(0, 3)).toMatchObject([
      { index: 2, input: 'c.test', domain: 'c.test' },
      { index: 0, input: 'a.test', domain: 'a.test' },
      { index: 1, input: 'b.test', domain: 'b.test' },
    ]);
  });

  it('are sent once for each input with the name, in any spelling', async () => {
    const inputs = [' A.test', 'b.test', 'a.TEST.', 'no name', 'a.test', 'no name'].map(
      fullNameInput,
    );
    const lines = await linesOf(
      resultLines(ndjson, inputs, rowsFor('b.test', 'a.test', 'no name'), tally),
    );
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

  it('have the same members as JSON rows', async () => {
    const [line] = await linesOf(
      resultLines(ndjson, ['a.test'].map(fullNameInput), failedRows(), tally),
    );
    expect(line).toMatchObject({ status: 'unknown', available: null, reason: 'registry_timeout' });
    const [plain] = await linesOf(
      resultLines(ndjson, ['a.test'].map(fullNameInput), rowsFor('a.test'), tally),
    );
    expect(plain).not.toHaveProperty('reason');
  });

  it('end with a line of totals, even if that is asynchronous or there are no rows', async () => {
    expect(
      (
        await linesOf(
          resultLines(ndjson, ['a.test'].map(fullNameInput), rowsFor('a.test'), asyncMeta),
        )
      ).at(-1),
    ).toEqual({ meta: { total: 1, credits: { charged: 2 } } });
    expect(
      await linesOf(resultLines(ndjson, ['a.test'].map(fullNameInput), rowsFor(), asyncMeta)),
    ).toEqual([{ meta: { total: 0, credits: { charged: 2 } } }]);
  });

  it('are read only on demand, and end when the reader stops', async () => {
    const taken: string[] = [];
    async function* observed() {
      try {
        for await (const row of rowsFor('a.test', 'b.test', 'c.test')) {
          taken.push(row.domain);
          yield row;
        }
      } finally {
        taken.push('ended');
      }
    }
    const lines = resultLines(
      ndjson,
      ['a.test', 'a.test', 'b.test', 'c.test'].map(fullNameInput),
      observed(),
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
