import { resultOf, type BulkInput } from './bulk/inputs.ts';
import { rowBody, type RestRow } from './rows.ts';

export const ndjsonMediaType = 'application/x-ndjson';

/**
 * Yields the rows as lines of JSON as they arrive, one for each input with the row's name, and
 * finally `{"meta":…}`, which summarizes them. Reads a row only after the lines of the previous one
 * have been taken. If it is ended early, it ends `rows` too. Throws the errors of `rows` and
 * `meta`.
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
