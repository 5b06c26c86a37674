import { isUnder } from './host-pattern.ts';
import { matchOf, type RuleMatch } from './rule-match.ts';
import type { SiteEvidence } from './site-evidence.ts';
import { restAfter, versionIn } from './stated-version.ts';
import type { HeaderRule } from './technology-rule.ts';

/** Returns the match of a rule about a header; undefined if there is none. */
export function matchHeader(
  rule: HeaderRule,
  { headers, host }: SiteEvidence,
): RuleMatch | undefined {
  const value = Object.hasOwn(headers, rule.header) ? headers[rule.header] : undefined;
  if (value === undefined) return undefined;
  if (rule.except?.some((text) => includes(value, text))) return undefined;
  if (rule.exceptHost !== undefined && host !== null && isUnder(host, rule.exceptHost))
    return undefined;
  const rest = restOf(value, rule);
  return rest === undefined
    ? undefined
    : matchOf('header', rule.header, value, rest === null ? null : versionIn(rest));
}

/** Returns what follows the product; null if no version can follow, undefined without a match. */
function restOf(value: string, rule: HeaderRule): string | null | undefined {
  const { prefix, product, element, includes: part } = rule;
  if (prefix !== undefined) return restAfter(value, prefix);
  if (product !== undefined)
    return value
      .split(/[\s,;()]/)
      .map((word) => restAfter(word, product))
      .find((rest) => rest !== undefined);
  if (element !== undefined)
    return value.split(',').some((one) => one.trim().toLowerCase() === element.toLowerCase())
      ? null
      : undefined;
  return part === undefined || includes(value, part) ? null : undefined;
}

function includes(value: string, part: string): boolean {
  return value.toLowerCase().includes(part.toLowerCase());
}
