import { parseForSale } from '../../../domain/site/for-sale.ts';
import type { ReadFact } from '../../../domain/site/site-facts.ts';
import { readRecords, type RecordsOptions } from './read-records.ts';
import { bounded, textOf } from './record-texts.ts';
import { resolved } from './resolve.ts';

/** Reads whether a name is for sale, with one query at `_for-sale.NAME` (RFC 10023). */
export function forSaleReader(options: RecordsOptions): ReadFact<'forSale'> {
  return async ({ target: { host } }, request) => {
    // RFC 10023 excludes names under .arpa.
    if (host.endsWith('.arpa')) return parseForSale([]);
    const name = `_for-sale.${host}`;
    const answer = await readRecords(options, host, request, (resolver) =>
      resolved(resolver.resolveTxt(name), name),
    );
    const records = typeof answer === 'object' ? answer.records : [];
    return parseForSale(bounded(records.map(textOf), String));
  };
}
