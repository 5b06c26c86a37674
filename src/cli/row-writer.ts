import type { CheckRow } from './lookups.ts';

/** Writes the rows of a check. Disposing of it restores the terminal. */
export interface RowWriter extends Disposable {
  write(row: CheckRow): void;
  /** Writes what follows the rows. */
  end(rows: readonly CheckRow[]): void;
}
