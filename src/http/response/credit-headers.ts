import type { Cost } from '../../accounts/credits.ts';

/** What an answer in one piece cost. */
export function costHeaders({
  requested,
  charged,
  refunded,
  remaining,
}: Cost): Record<string, string> {
  return {
    'x-credits-requested': String(requested),
    'x-credits-charged': String(charged),
    'x-credits-refunded': String(refunded),
    'x-credits-remaining': String(remaining),
  };
}

/** What is known of the cost when a stream begins. */
export function initialCostHeaders({ requested, remaining }: Cost): Record<string, string> {
  return { 'x-credits-requested': String(requested), 'x-credits-remaining': String(remaining) };
}
