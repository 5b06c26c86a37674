import { isObject } from '../shared/shapes.ts';
import type { AutnumRef, IpRef } from './object-ref.ts';
import { parseAutnumRef, parseIpRef } from './parse-object-ref.ts';
import { parseEntry, withParam, type ParsedName } from './parsed-name.ts';
import { Problem } from './problems.ts';

/** The types to which other subgraphs refer (Apollo Federation), with the field that identifies each. */
export const entityKeys = {
  Domain: 'domain',
  Tld: 'label',
  IpNetwork: 'startAddress',
  Autnum: 'startNumber',
} as const;

/** What an object of one of these types is looked up by. */
export type Representation =
  | { readonly type: 'Domain'; readonly name: ParsedName }
  | { readonly type: 'Tld'; readonly label: string }
  | { readonly type: 'IpNetwork'; readonly ref: IpRef }
  | { readonly type: 'Autnum'; readonly ref: AutnumRef };

/**
 * Parses a reference to an object, such as `{ __typename: 'Domain', domain: 'example.com' }`. Throws
 * `invalid_parameter`.
 */
export function parseRepresentation(value: unknown): Representation {
  const { __typename: type, ...fields } = isObject(value) ? value : {};
  if (typeof type !== 'string' || !Object.hasOwn(entityKeys, type))
    throw invalid(`__typename must be one of ${Object.keys(entityKeys).join(', ')}`);
  const field = entityKeys[type as keyof typeof entityKeys];
  const key = fields[field];
  if (typeof key !== 'string' && typeof key !== 'number')
    throw invalid(`the key ${field} of ${type} is missing`);
  return withParam('representations', () => parsers[field](String(key)));
}

const parsers: Readonly<
  Record<(typeof entityKeys)[keyof typeof entityKeys], (key: string) => Representation>
> = {
  domain: (key) => ({ type: 'Domain', name: withoutInput(parseEntry(key)) }),
  label: (key) => ({ type: 'Tld', label: key.toLowerCase() }),
  startAddress: (key) => ({ type: 'IpNetwork', ref: parseIpRef(key) }),
  startNumber: (key) => ({ type: 'Autnum', ref: parseAutnumRef(key) }),
};

/** Returns a name that is identified by its A-labels only, however it was typed. */
function withoutInput(name: ParsedName): ParsedName {
  return 'problem' in name ? name : { domain: name.domain };
}

function invalid(detail: string): Problem {
  return new Problem('invalid_parameter', `A representation is invalid: ${detail}.`, {
    param: 'representations',
  });
}
