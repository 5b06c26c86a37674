import type { ObjectType } from '../../../domain/object-ref.ts';
import { objectOperations } from '../object-operations.ts';
import { baseSchema } from '../../../../schema/schema.ts';
import { objectOf, orNull, schemaRef, type Properties } from './json-schema.ts';
import { operationShape } from './operation-shape.ts';

/** The names of the schemas of bodies and of their data, by type of object. */
const names = {
  ip: { record: 'IpRecord', data: 'IpData', title: 'The network of an address.' },
  autnum: { record: 'AutnumRecord', data: 'AutnumData', title: 'An autonomous system.' },
  entity: { record: 'EntityRecord', data: 'EntityData', title: 'An entity.' },
  nameserver: {
    record: 'NameserverRecord',
    data: 'NameserverData',
    title: 'A nameserver, at the registry of its TLD.',
  },
} as const satisfies Record<ObjectType, object>;

/** References to the schemas of bodies with an object. */
export const objectRecordRefs = Object.values(names).map(({ record }) => schemaRef(record));

/** Returns the schemas of objects, by name. */
export function objectShapes(): Properties {
  const types = Object.keys(names) as ObjectType[];
  return Object.assign({}, ...types.map(shapesOf));
}

function shapesOf(type: ObjectType): Properties {
  const { record, data, title } = names[type];
  const { properties, types } = operationShape(baseSchema, objectOperations[type]);
  const { LookupProblem: _lookupProblem, ...otherTypes } = types;
  const members = Object.entries(properties).filter(([key]) => !lookupMembers.includes(key));
  return {
    ...otherTypes,
    [data]: objectOf(Object.fromEntries(members)),
    [record]: { description: title, ...objectOf(recordMembers(type, data, properties)) },
  };
}

/** The members of the operations that are not the data of an object. */
const lookupMembers = [
  'found',
  'problem',
  'rdap_endpoint',
  'cached',
  'stale',
  'checked_at',
  'latency_ms',
  'raw',
];

function recordMembers(type: ObjectType, data: string, properties: Properties): Properties {
  return {
    input: { type: 'string', description: 'The identifier as sent.' },
    type: { type: 'string', enum: [type], description: 'The type of the object.' },
    found: {
      type: 'boolean',
      description:
        'Whether the registry has the object. Without an answer, the response is a problem.',
    },
    source: {
      type: 'string',
      enum: ['rdap'],
      description: 'Objects are looked up only over RDAP.',
    },
    rdap_endpoint: { ...properties['rdap_endpoint'] },
    cached: { ...properties['cached'] },
    stale: { ...properties['stale'] },
    checked_at: { ...properties['checked_at'] },
    latency_ms: { ...properties['latency_ms'], type: 'integer' },
    object: {
      ...orNull(schemaRef(data)),
      description: 'The data of the object; null if it was not found.',
    },
    rdap: {
      ...properties['raw'],
      description: "The registry's own object (RFC 9083), as sent; null if it was not found.",
    },
  };
}
