import { objectTypes } from '../../src/domain/objects/object-ref.ts';
import { objectOperations } from '../../src/http/rest/objects/body.ts';
import { baseSchema } from '../schema.ts';
import { objectOf, orNull, schemaRef, type JsonSchema, type Properties } from './json-schema.ts';
import { operationShape } from './operation-shape.ts';

/** The members of the body that are not members of the object. */
const lookupMembers = ['found', 'rdap_endpoint', 'cached', 'stale', 'checked_at'] as const;
/** Used for the caching headers and problems; not sent. */
const omitted = ['fresh_until', 'problem'];

/** Returns the schemas of `/v1/rdap` for objects other than domains, by name. */
export function objectShapes(): Properties {
  const shapes: Record<string, JsonSchema> = {};
  const members: Record<string, JsonSchema> = {};
  for (const type of objectTypes) {
    const { properties, types } = operationShape(baseSchema, objectOperations[type]);
    const { raw, latency_ms: latency, ...rest } = properties;
    Object.assign(shapes, types);
    for (const name of lookupMembers) members[name] = rest[name] ?? {};
    Object.assign(members, { latency_ms: { ...latency, type: 'integer' }, rdap: raw });
    const own = Object.entries(rest).filter(
      ([name]) => !omitted.includes(name) && !lookupMembers.some((member) => member === name),
    );
    shapes[objectNames[type]] = objectOf(Object.fromEntries(own));
  }
  const { LookupProblem: _lookupProblem, ...types } = shapes;
  return {
    ...types,
    ObjectRecord: objectOf({
      input: { type: 'string', description: 'The input as sent.' },
      type: { type: 'string', enum: [...objectTypes], description: 'The type of the object.' },
      found: { type: 'boolean', description: 'Whether the registry has the object.' },
      source: { type: 'string', enum: ['rdap'], description: 'Where the answer came from.' },
      ...members,
      object: {
        ...orNull({ anyOf: Object.values(objectNames).map(schemaRef) }),
        description: 'The data of the object, by `type`; null unless it was found.',
      },
    }),
  };
}

const objectNames = {
  ip: 'IpNetworkObject',
  autnum: 'AutnumObject',
  entity: 'EntityObject',
  nameserver: 'NameserverObject',
} as const;
