import { toUnicodeName } from '../domain/domain-name.ts';
import type { Problem } from '../domain/problems.ts';
import { onceSettled } from '../shared/memoize.ts';
import type { LookupOutcome } from './lookup-outcome.ts';
import type { PlannedRow } from './lookup-plan.ts';
import type { NextTurn } from './batch-scheduler.ts';

/** One name of an operation. It is looked up when its outcome is requested. */
export interface DomainRow {
  /** The global id. */
  readonly id: string;
  /** The A-label name; an entry that is not a name is unmodified. */
  readonly domain: string;
  readonly unicodeName: string;
  readonly name: string;
  readonly tld: string;
  /** Why the entry is not a name; null for a name. */
  readonly refusal: Problem | null;
  /**
   * Returns the same outcome each time; a plain value once it is available, so that no field waits
   * for a promise. Never rejects.
   */
  readonly outcome: () => LookupOutcome | Promise<LookupOutcome>;
}

/** Creates a row. `outcome` is called at most once. */
export function createRow(
  { id, domain, label, suffix }: Pick<PlannedRow, 'id' | 'domain' | 'label' | 'suffix'>,
  refusal: Problem | null,
  outcome: DomainRow['outcome'],
): DomainRow {
  return {
    id,
    domain,
    unicodeName: toUnicodeName(domain),
    name: label,
    tld: suffix,
    refusal,
    outcome: onceSettled(outcome),
  };
}

/** Returns rows whose outcomes become available over several turns of the event loop. */
export function inTurns(rows: readonly DomainRow[], nextTurn: NextTurn): readonly DomainRow[] {
  const afterTurn = (outcome: LookupOutcome, work: 'now' | 'later') =>
    nextTurn(work)?.then(() => outcome) ?? outcome;
  return rows.map((row) => ({
    ...row,
    outcome: onceSettled(() => {
      const outcome = row.outcome();
      return outcome instanceof Promise
        ? outcome.then((settled) => afterTurn(settled, 'later'))
        : afterTurn(outcome, 'now');
    }),
  }));
}
