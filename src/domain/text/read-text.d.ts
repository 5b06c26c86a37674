/** What a text means, as the members that its kind has. */
export interface Reading {
  readonly kind: 'empty' | 'invalid' | 'object' | 'name' | 'list';
  readonly message?: string;
  readonly labels?: readonly string[];
  readonly alternative?: string;
  readonly suggestion?: string;
  readonly skipped?: readonly string[];
  readonly unlikely?: readonly string[];
}
export function readText(text: string): Reading;
export function namesOf(reading: Reading): readonly string[];
export function summaryOf(reading: Reading, verb?: string): string;
