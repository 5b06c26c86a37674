import type { CheckRow } from '../lookups.ts';
import type { Output } from '../surroundings.ts';
import { csvHeader, csvLine } from '../../shared/csv.ts';

/** Writes the rows of a check. */
export interface RowWriter {
  write(row: CheckRow): void;
  /** Writes what follows the rows. */
  end(rows: readonly CheckRow[]): void;
}

/** Returns a writer of one JSON object per line. */
export function jsonRows(stdout: Output): RowWriter {
  return lineRows(stdout, (row) => `${JSON.stringify(row)}\n`);
}

/** Returns a writer of CSV with a header. */
export function csvRows(stdout: Output): RowWriter {
  stdout.write(csvHeader());
  return lineRows(stdout, csvLine);
}

function lineRows(stdout: Output, lineOf: (row: CheckRow) => string): RowWriter {
  return {
    write: (row) => void stdout.write(lineOf(row)),
    end: () => undefined,
  };
}
