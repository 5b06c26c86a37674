import * as v from 'valibot';
import { parseSuffix } from '../../domain/domain-name.ts';
import { tldSets, type TldSets } from '../../domain/tld-sets.ts';
import { objectShape } from '../../shared/shapes.ts';

const form =
  'must have the form {"My brands": ["com", "co.uk"]}, with titles of up to 40 letters, digits, hyphens and spaces';
const fileShape = v.pipe(
  objectShape(),
  v.record(
    v.pipe(v.string(), v.trim(), v.regex(/^[\p{L}\p{N} -]{1,40}$/u)),
    v.pipe(v.array(v.string()), v.minLength(1)),
  ),
);

/**
 * Parses the file of `SETS_FILE`: TLDs and longer suffixes, by the title of their set. Returns the
 * sets by name: `My brands` is `@my-brands`. Throws an Error that names the set at fault.
 */
export function parseSetsFile(document: unknown): TldSets {
  const { success, output, issues } = v.safeParse(fileShape, document);
  if (!success) {
    const title = issues[0].path?.[0].key;
    throw new Error(`${title === undefined ? '' : `set "${String(title)}": `}it ${form}`);
  }
  const sets = Object.entries(output).map(([title, tlds]) => {
    const name = title.toLowerCase().replaceAll(/ +/g, '-');
    if (name === 'all' || Object.hasOwn(tldSets, name))
      throw new Error(`set "${title}": @${name} is a built-in set`);
    return [name, { reason: title, tlds: tlds.map(parseSuffix) }];
  });
  return Object.fromEntries(sets);
}
