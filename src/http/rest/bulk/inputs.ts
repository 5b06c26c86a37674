import { askedEntry, askedPair, partsOf } from '../../../domain/parsed-name.ts';
import { asTyped } from '../../../domain/domain-name.ts';
import type { Row } from '../rows.ts';

/** One thing that a bulk call asks for. */
export interface Input {
  /** As it was typed; a name and a TLD, joined by a dot. */
  readonly typed: string;
  /** What is looked up for it, as an entry of a list of whole names: the `domain` of its row. */
  readonly entry: string;
}

/** The input that a whole name makes. */
export function wholeInput(typed: string): Input {
  const asked = askedEntry(typed);
  return { typed, entry: asked.domain };
}

/** The input that a name and a TLD make. */
export function pairInput(name: string, tld: string): Input {
  const asked = askedPair(name, tld);
  // Nobody forgives two dots at the end: what is no pair must not be read as a whole name.
  return {
    typed: asTyped(name, tld),
    entry: 'problem' in asked ? `${asked.domain}..` : asked.domain,
  };
}

/** The row of an input. One that is no name is shown as it was typed. */
export function resultOf(
  row: Row,
  { typed }: Input,
  index: number,
): Row & { readonly index: number; readonly input: string } {
  const shown =
    row.status === 'INVALID' ? { domain: typed.trim(), tld: partsOf(typed.trim()).suffix } : {};
  return { index, input: typed, ...row, ...shown };
}
