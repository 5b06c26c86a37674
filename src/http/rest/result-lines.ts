import { csvContentType, csvHeader, csvLine, csvMediaType, type CsvRow } from '../../shared/csv.ts';
import { resultOf, type BulkInput } from './bulk-inputs.ts';
import { rowBody, type RestRow } from './rows.ts';

/** A format in which results are sent one per line. */
export interface LineFormat {
  readonly contentType: string;
  /** The text before the results. */
  readonly opening: string;
  readonly line: (result: CsvRow) => string;
  /** Returns the text after the results, from their totals. */
  readonly closing: (meta: object) => string;
}

/** One JSON object per line, the last of which is `{"meta":…}`. */
export const ndjson: LineFormat = {
  contentType: 'application/x-ndjson',
  opening: '',
  line: jsonLine,
  closing: (meta) => jsonLine({ meta }),
};

/** CSV has no place for totals. */
export const csv: LineFormat = {
  contentType: csvContentType,
  opening: csvHeader(),
  line: csvLine,
  closing: () => '',
};

/** The formats by media type. */
export const lineFormats: Readonly<Record<string, LineFormat>> = {
  'application/x-ndjson': ndjson,
  [csvMediaType]: csv,
};

/**
 * Yields the rows as lines as they arrive, one for each input with the row's name, and finally their
 * totals. Reads a row only after the lines of the previous one have been taken. If it is ended
 * early, it ends `rows` too. Throws the errors of `rows` and `meta`.
 */
export async function* resultLines(
  { opening, line, closing }: LineFormat,
  inputs: readonly BulkInput[],
  rows: AsyncIterable<RestRow>,
  meta: (sentRows: readonly RestRow[]) => object | Promise<object>,
): AsyncGenerator<string, void, void> {
  const sentRows: RestRow[] = [];
  if (opening) yield opening;
  for await (const result of arrivingResults(inputs, rows)) {
    sentRows.push(result);
    yield line(rowBody(result));
  }
  const end = closing(await meta(sentRows));
  if (end) yield end;
}

/** Yields a result for each input with the name of a row, as the rows arrive. */
export async function* arrivingResults(
  inputs: readonly BulkInput[],
  rows: AsyncIterable<RestRow>,
): AsyncGenerator<ReturnType<typeof resultOf>, void, void> {
  const inputsByEntry = Map.groupBy(inputs.entries(), ([, { entry }]) => entry);
  for await (const row of rows)
    for (const [index, input] of inputsByEntry.get(row.domain) ?? [])
      yield resultOf(row, input, index);
}

function jsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
