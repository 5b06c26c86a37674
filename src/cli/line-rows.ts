import { csvHeader, csvLine } from '../shared/csv.ts';
import type { CheckRow } from './lookups.ts';
import type { RowWriter } from './row-writer.ts';

/** Returns a writer of one JSON object per line. */
export function jsonRows(): RowWriter {
  return lineRows((row) => `${JSON.stringify(row)}\n`);
}

/** Returns a writer of CSV with a header. */
export function csvRows(): RowWriter {
  process.stdout.write(csvHeader());
  return lineRows(csvLine);
}

function lineRows(lineOf: (row: CheckRow) => string): RowWriter {
  return {
    write: (row) => void process.stdout.write(lineOf(row)),
    end: () => undefined,
    [Symbol.dispose]: () => undefined,
  };
}
