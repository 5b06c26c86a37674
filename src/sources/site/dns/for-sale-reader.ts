import { parseForSale } from '../../../domain/site/for-sale.ts';
import type { ReadFact } from '../../../domain/site/site-facts.ts';
import type { DnsReaderOptions } from './dns-reader.ts';
import { bounded, textOf } from './record-texts.ts';
import { resolved } from './resolve.ts';
import { withTimeLimit } from './time-limit.ts';

/** Reads whether a name is for sale, with one query at `_for-sale.NAME` (RFC 10023). */
export function forSaleReader({ resolverOf, clock }: DnsReaderOptions): ReadFact<'forSale'> {
  return async ({ target: { host } }, { signal, onSent }) => {
    // RFC 10023 excludes names under .arpa.
    if (host.endsWith('.arpa')) return parseForSale([]);
    onSent?.();
    const name = `_for-sale.${host}`;
    const query = resolved(resolverOf(host).resolveTxt(name), name);
    const answer = await withTimeLimit(query, name, clock, signal);
    const records = typeof answer === 'object' ? answer.records : [];
    return parseForSale(bounded(records.map(textOf), String));
  };
}
