import type { ProblemCode } from '../../domain/problems.ts';

/** Why a server refused a query. */
export interface Refusal {
  readonly code: Extract<ProblemCode, 'registry_busy' | 'registry_error'>;
  readonly text: string;
  /** `refused`: the operator limits or blocks queries. `failed`: the server has an outage. */
  readonly kind: 'refused' | 'failed';
}

export const limited: Refusal = {
  code: 'registry_busy',
  text: 'limits queries',
  kind: 'refused',
};
const blocked: Refusal = {
  code: 'registry_error',
  text: 'does not accept queries of this gateway',
  kind: 'refused',
};
const failed: Refusal = {
  code: 'registry_error',
  text: 'reported an outage',
  kind: 'failed',
};

/**
 * Refusals of many servers. They are recognized before everything else, because some of them also
 * contain a "not found". Without an anchor, a pattern matches a sentence that is specific enough:
 * none of them matches a captured reply with a verdict.
 */
// cspell:ignore looup quer
const patterns: readonly (readonly [RegExp, Refusal])[] = [
  [/^[%#* \t-]*(?:WHOIS )?(?:query )?(?:rate )?limit exceeded\b/im, limited],
  [/^[%#* \t-]*(?:request|connection|query|whois|daily whois)[ -]limit exceeded\b/im, limited],
  [/\bconnection limit exceeded\b/i, limited],
  [/^[%#* \t-]*(?:look ?up|looup) quota exceeded\b/im, limited],
  [/^[%#* \t-]*(?:You have exceeded|Quota exceeded)\b/im, limited],
  [/^[%#* \t-]*Too (?:many|may) (?:requests|queries|connections)\b/im, limited],
  [/^[%#* \t-]*Excessive querying, grace period\b/im, limited],
  [/^-?\d+: (?:Still in grace period|Excessive querying)/im, limited],
  [/^[%#* \t-]*Maximum quer(?:ies|y) (?:per|rate)\b/im, limited],
  [/access control limit reached/i, limited],
  [/has been exceeded$/im, limited],
  [/\bdaily whois-limit exceeded\b/i, limited],
  [/only 1 request per second allowed/i, limited],
  [/^Please go away for \d+ Seconds/im, limited],
  [/^-?\d+: IP address blocked/im, blocked],
  [/^Requests of this client are not permitted\./im, blocked],
  [/Access will only be enabled for\s+IP addresses\s+authorised/i, blocked],
  [/^TLD is not supported\./im, blocked],
  [/^Tld not supported by this registry interface/im, blocked],
  [/^Service temporarily unavailable/im, failed],
  [/the Whois database is currently down/i, failed],
  [/^Your request could not be performed/im, failed],
];

/** Returns the refusal in a reply, with the pattern that it matches. */
export function findRefusal(
  text: string,
): { readonly refusal: Refusal; readonly pattern: string } | undefined {
  const index = patterns.findIndex(([regExp]) => regExp.test(text));
  const refusal = patterns[index]?.[1];
  return refusal && { refusal, pattern: `refusal-${index + 1}` };
}
