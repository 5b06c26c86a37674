import { resultOf, type Input } from './bulk/inputs.ts';
import { rowBody, type Row } from './rows.ts';

/** What NDJSON is asked for by, and sent as. */
export const ndjsonType = 'application/x-ndjson';

/**
 * The rows as lines of JSON, as each is known: one for each input that asks for its name, and `{"meta":…}`, made of all of them, last.
 * Takes no row before the last one's lines were taken; ended early, it ends `rows` too. Throws what `rows` and `meta` throw.
 */
export async function* ndjson(
  inputs: readonly Input[],
  rows: AsyncIterable<Row>,
  meta: (sent: readonly Row[]) => object | Promise<object>,
): AsyncGenerator<string, void, void> {
  const places = Map.groupBy(inputs.entries(), ([, { entry }]) => entry);
  const sent: Row[] = [];
  for await (const row of rows) {
    for (const [index, input] of places.get(row.domain) ?? []) {
      sent.push(row);
      yield line(rowBody(resultOf(row, input, index)));
    }
  }
  yield line({ meta: await meta(sent) });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
