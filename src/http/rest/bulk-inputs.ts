import { parseEntry, parsePair, splitEntry } from '../../domain/parsed-name.ts';
import { rawInputOf } from '../../domain/domain-name.ts';
import type { RestRow } from './rows.ts';

/** One input of a bulk call. */
export interface BulkInput {
  /** The name as it was sent, or a name and a TLD joined by a dot. */
  readonly rawInput: string;
  /** The full name that is looked up: the `domain` of its row. */
  readonly entry: string;
}

/** Returns the input for a full name. */
export function fullNameInput(rawInput: string): BulkInput {
  const parsed = parseEntry(rawInput);
  return { rawInput, entry: parsed.domain };
}

/** Returns the input for a name and a TLD. */
export function pairInput(name: string, tld: string): BulkInput {
  const parsed = parsePair(name, tld);
  // Two final dots make the entry invalid: an invalid pair must not be parsed as a full name.
  return {
    rawInput: rawInputOf(name, tld),
    entry: 'problem' in parsed ? `${parsed.domain}..` : parsed.domain,
  };
}

/** Returns the result for an input. An invalid name is shown as it was sent. */
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
