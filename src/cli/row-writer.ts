import type { CheckRow } from './lookups.ts';
import { csvHeader, csvLine } from '../shared/csv.ts';

/** Writes the rows of a check. */
export interface RowWriter {
  write(row: CheckRow): void;
  /** Writes what follows the rows. */
  end(rows: readonly CheckRow[]): void;
}

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
  };
}
