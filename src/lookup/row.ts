import { splitEntry } from '../domain/parsed-name.ts';
import { toUnicodeName } from '../domain/domain-name.ts';
import { onceSettled } from '../memoize.ts';
import type { LookupOutcome } from './lookup-outcome.ts';

/** One name of an operation. Nothing is asked until somebody wants the outcome. */
export interface DomainRow {
  /** The global id. */
  readonly id: string;
  /** The A-label name; for an entry that is none, as it was typed. */
  readonly domain: string;
  readonly unicodeName: string;
  readonly name: string;
  readonly tld: string;
  /** Plain when it is known already, so that no field waits for what is there; the same however often it is asked. Never rejects. */
  readonly outcome: () => LookupOutcome | Promise<LookupOutcome>;
}

/** The row of a name, or of an entry that is none, whose id is another; `outcome` is called when it is wanted, and once. */
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
