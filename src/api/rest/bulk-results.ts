import type { Cost } from '../../accounts/account.ts';
import { splitEntry } from '../../domain/names/parsed-name.ts';
import { dataOf, type Stream } from '../../execution/result.ts';
import { csvContentType, csvHeader, csvLine, csvMediaType, type CsvRow } from '../../shared/csv.ts';
import type { HttpRequestContext, HttpResponse } from '../../server/http-request-context.ts';
import { initialCostHeaders } from '../../server/messages/run-response.ts';
import type { BulkInput } from './bulk-request.ts';
import { rowBody, type RestRow } from './rows.ts';

/** A row with the input that it is the result for. */
export type BulkRow = RestRow & { readonly index: number; readonly input: string };

/** Returns the result for an input. An invalid name is shown as it was sent. */
export function resultOf(row: RestRow, { rawInput }: BulkInput, index: number): BulkRow {
  const nameOverride =
    row.status === 'INVALID'
      ? { domain: rawInput.trim(), tld: splitEntry(rawInput.trim()).suffix }
      : {};
  return { index, input: rawInput, ...row, ...nameOverride };
}

/** How to stream the results of a bulk call. */
export interface StreamOptions {
  readonly operation: string;
  readonly format: LineFormat;
  readonly inputs: readonly BulkInput[];
  /** Milliseconds after which rows without a result are sent as pending. */
  readonly budgetMs: number | undefined;
  /**
   * Returns the totals of all rows, from the duration of the call in whole milliseconds and its cost,
   * too.
   */
  meta(rows: readonly RestRow[], durationMs: number, credits: Cost | undefined): object;
}

/** Returns a response with the rows of a stream, one per line. */
export function streamedRows(
  { format, inputs, meta }: StreamOptions,
  { parts, initialCost, cost }: Stream,
  { responseHeaders }: HttpRequestContext,
  durationMs: () => number,
): HttpResponse {
  if (initialCost) Object.assign(responseHeaders, initialCostHeaders(initialCost));
  const metaWithCredits = async (rows: readonly RestRow[]) =>
    meta(rows, durationMs(), await cost());

  return {
    status: 200,
    headers: { 'content-type': format.contentType, 'cache-control': 'no-store' },
    body: resultLines(format, inputs, rowsOf(parts), metaWithCredits),
  };
}

/** Yields the rows of the saved subscription. Throws the errors of its events. */
async function* rowsOf(parts: Stream['parts']): AsyncGenerator<RestRow, void, void> {
  for await (const part of parts) yield (dataOf(part) as { availability: RestRow }).availability;
}

/** A format in which results are sent one per line. */
interface LineFormat {
  readonly contentType: string;
  readonly opening: string;
  readonly line: (result: CsvRow) => string;
  readonly closing: (meta: object) => string;
}

/** One JSON object per line, the last of which is `{"meta":…}`. */
const ndjson: LineFormat = {
  contentType: 'application/x-ndjson',
  opening: '',
  line: jsonLine,
  closing: (meta) => jsonLine({ meta }),
};

/** CSV has no place for totals. */
const csv: LineFormat = {
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
async function* resultLines(
  { opening, line, closing }: LineFormat,
  inputs: readonly BulkInput[],
  rows: AsyncIterable<RestRow>,
  meta: (sentRows: readonly RestRow[]) => object | Promise<object>,
): AsyncGenerator<string, void, void> {
  const inputsByEntry = Map.groupBy(inputs.entries(), ([, { entry }]) => entry);
  const sentRows: RestRow[] = [];
  if (opening) yield opening;

  for await (const row of rows)
    for (const [index, input] of inputsByEntry.get(row.domain) ?? []) {
      const result = resultOf(row, input, index);
      sentRows.push(result);
      yield line(rowBody(result));
    }

  const end = closing(await meta(sentRows));
  if (end) yield end;
}

function jsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
