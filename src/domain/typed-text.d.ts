export function hostOf(text: string): string;

/** What a text means, as the members that its kind has. */
export interface Interpretation {
  readonly labels?: readonly string[];
  readonly alternative?: string;
  readonly suggestion?: string;
}
export function interpretList(text: string): Interpretation;
export function splitList(text: string): readonly string[];
