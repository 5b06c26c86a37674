import type { TechnologyEvidence } from './technology.ts';

/** What a rule recognized, and the version if it is stated there. */
export interface RuleMatch {
  readonly evidence: TechnologyEvidence;
  readonly version: string | null;
}

const maxMatchedLength = 200;

/** Returns a match with at most 200 characters of the text that was recognized. */
export function matchOf(
  source: TechnologyEvidence['source'],
  key: string | null,
  matched: string,
  version: string | null = null,
): RuleMatch {
  return { evidence: { source, key, matched: matched.slice(0, maxMatchedLength) }, version };
}
