import type { Cost } from '../../accounts/account.ts';

/** Returns the cost headers of a buffered response. */
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

/** Returns the cost headers of a stream, whose final cost is not yet known. */
export function initialCostHeaders({ requested, remaining }: Cost): Record<string, string> {
  return { 'x-credits-requested': String(requested), 'x-credits-remaining': String(remaining) };
}
