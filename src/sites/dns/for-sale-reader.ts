import { parseForSale } from './for-sale.ts';
import type { ReadFact } from '../site-facts.ts';
import { readRecords, type RecordsOptions } from './read-records.ts';
import { sortedRecords, textOf } from './record-texts.ts';
import { queryResult, recordsIn } from './query-result.ts';

/** Creates the reader of for-sale records, which sends one query at `_for-sale.NAME` (RFC 10023). */
export function forSaleReader(options: RecordsOptions): ReadFact<'forSale'> {
  return async ({ target: { host } }, request) => {
    // RFC 10023 excludes names under .arpa.
    if (host.endsWith('.arpa')) return parseForSale([]);
    const name = `_for-sale.${host}`;
    const result = await readRecords(options, host, request, (resolver) =>
      queryResult(resolver.resolveTxt(name), name),
    );
    return parseForSale(sortedRecords(recordsIn(result).map(textOf), String));
  };
}
