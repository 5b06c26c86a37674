import { isObject } from '../shared/shapes.ts';
import { parseEntry, type ParsedName } from './parsed-name.ts';
import { invalidParameter } from './problems.ts';

/** The types to which other subgraphs refer (Apollo Federation), with the field that identifies each. */
export const entityKeys = {
  Domain: 'domain',
  Tld: 'label',
  IpNetwork: 'startAddress',
  Autnum: 'startNumber',
} as const;

/** The type and the key of an object. */
export interface Representation {
  readonly type: keyof typeof entityKeys;
  readonly key: string;
}

/**
 * Parses a reference to an object, such as `{ __typename: 'Domain', domain: 'example.com' }`. Throws
 * `invalid_parameter`.
 */
export function parseRepresentation(value: unknown): Representation {
  const { __typename: typename, ...fields } = isObject(value) ? value : {};
  const types = Object.keys(entityKeys) as Representation['type'][];
  const type = types.find((each) => each === typename);
  const key = type && fields[entityKeys[type]];
  if (type && (typeof key === 'string' || typeof key === 'number'))
    return { type, key: String(key) };
  const detail = type
    ? `the key ${entityKeys[type]} of ${type} is missing`
    : `__typename must be one of ${types.join(', ')}`;
  const param = 'representations';
  throw invalidParameter(param, `A representation is invalid: ${detail}.`);
}

/** Parses the key of a `Domain`, which is identified by its A-labels, however it was typed. */
export function parseDomainKey(key: string): ParsedName {
  const name = parseEntry(key);
  return 'problem' in name ? name : { domain: name.domain };
}
