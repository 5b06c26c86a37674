import { resultOf, type BulkInput } from './bulk/inputs.ts';
import { rowBody, type RestRow } from './rows.ts';

/** What NDJSON is asked for by, and sent as. */
export const ndjsonMediaType = 'application/x-ndjson';

/**
 * The rows as lines of JSON, as each is known: one for each input that asks for its name, and `{"meta":…}`, made of all of them, last.
 * Takes no row before the last one's lines were taken; ended early, it ends `rows` too. Throws what `rows` and `meta` throw.
 */
export async function* ndjsonLines(
  inputs: readonly BulkInput[],
  rows: AsyncIterable<RestRow>,
  meta: (sentRows: readonly RestRow[]) => object | Promise<object>,
): AsyncGenerator<string, void, void> {
  const inputsByEntry = Map.groupBy(inputs.entries(), ([, { entry }]) => entry);
  const sentRows: RestRow[] = [];
  for await (const row of rows) {
    for (const [index, input] of inputsByEntry.get(row.domain) ?? []) {
      sentRows.push(row);
      yield line(rowBody(resultOf(row, input, index)));
    }
  }
  yield line({ meta: await meta(sentRows) });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
