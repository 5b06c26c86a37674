// What reads the texts in <domain-search>, which loads this file with the first text: the same modules as
// on the search page.
import * as reader from '../domain/text/read-text.js';
import { explanationOf, labelsIn, maxNames, registrableNames } from './reading.js';

/**
 * Resolves to the labels of the `names` in a text, of which there is `room` for so many, and the
 * content of the `line` about them, which says why there are none if it `isInvalid`. `runQuery`
 * resolves to the result of a query with variables.
 */
export async function namesIn(text, runQuery) {
  const reading = domainsOnly(reader.readText(text));
  const read = labelsIn(reading).slice(0, maxNames);

  // A key may not allow the query. The gateway then rejects such names.
  const names = await registrableNames(read, runQuery).catch(() => read);
  const isInvalid = reading.kind === 'invalid';
  const line = explanationOf(reading, reader, names[0]?.join('.'));

  return { names, room: maxNames, line, isInvalid };
}

/** Replaces a reading without a domain name by one that says so. */
function domainsOnly(reading) {
  const { kind, type, key, alternative: suggestion } = reading;
  if (kind === 'empty')
    return { kind: 'invalid', message: 'Type a name, or paste a link or a list.' };
  if (kind !== 'object') return reading;
  const what = type === 'ip' ? 'an IP address' : 'an AS number';
  return { kind: 'invalid', message: `${key} is ${what}, not a domain name.`, suggestion };
}
