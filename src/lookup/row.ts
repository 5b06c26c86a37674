import { splitEntry } from '../domain/parsed-name.ts';
import { toUnicodeName } from '../domain/domain-name.ts';
import { onceSettled } from '../memoize.ts';
import type { LookupOutcome } from './lookup-outcome.ts';

/** One name of an operation. It is looked up when its outcome is requested. */
export interface DomainRow {
  /** The global id. */
  readonly id: string;
  /** The A-label name; an entry that is not a name is unmodified. */
  readonly domain: string;
  readonly unicodeName: string;
  readonly name: string;
  readonly tld: string;
  /**
   * Returns the same outcome each time; a plain value once it is available, so that no field waits
   * for a promise. Never rejects.
   */
  readonly outcome: () => LookupOutcome | Promise<LookupOutcome>;
}

/**
 * Creates the row of a name, or of an invalid entry, whose `id` differs. `outcome` is called at
 * most once.
 */
export function createRow(domain: string, outcome: DomainRow['outcome'], id = domain): DomainRow {
  const { label, suffix } = splitEntry(domain);
  return {
    id,
    domain,
    unicodeName: toUnicodeName(domain),
    name: label,
    tld: suffix,
    outcome: onceSettled(outcome),
  };
}
