import { parseEntry, parsePair, splitEntry } from '../../../domain/parsed-name.ts';
import { rawInputOf } from '../../../domain/domain-name.ts';
import type { RestRow } from '../rows.ts';

/** One thing that a bulk call asks for. */
export interface BulkInput {
  /** As it was typed; a name and a TLD, joined by a dot. */
  readonly rawInput: string;
  /** What is looked up for it, as an entry of a list of whole names: the `domain` of its row. */
  readonly entry: string;
}

/** The input that a whole name makes. */
export function fullNameInput(rawInput: string): BulkInput {
  const parsed = parseEntry(rawInput);
  return { rawInput, entry: parsed.domain };
}

/** The input that a name and a TLD make. */
export function pairInput(name: string, tld: string): BulkInput {
  const parsed = parsePair(name, tld);
  // Nobody forgives two dots at the end: what is no pair must not be read as a whole name.
  return {
    rawInput: rawInputOf(name, tld),
    entry: 'problem' in parsed ? `${parsed.domain}..` : parsed.domain,
  };
}

/** The row of an input. One that is no name is shown as it was typed. */
export function resultOf(
  row: RestRow,
  { rawInput }: BulkInput,
  index: number,
): RestRow & { readonly index: number; readonly input: string } {
  const nameOverride =
    row.status === 'INVALID'
      ? { domain: rawInput.trim(), tld: splitEntry(rawInput.trim()).suffix }
      : {};
  return { index, input: rawInput, ...row, ...nameOverride };
}
