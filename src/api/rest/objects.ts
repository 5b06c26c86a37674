import { objectTypes, type ObjectType } from '../../domain/object-ref.ts';
import { Problem } from '../../domain/problems.ts';
import {
  failureOf,
  problemSelection,
  type ProblemFields,
} from '../../server/messages/lookup-problem.ts';
import { quoted } from '../../shared/printable.ts';
import type { ParsedRestRequest, BodySource } from './endpoint.ts';
import type { RestRow } from './rows.ts';
import { contactSelection, dnssecSelection } from './selections.ts';
import * as shape from './shape.ts';
import type { JsonSchema, Members } from './shape.ts';

const lookup = `
  found
  rdap_endpoint: rdapEndpoint
  cached
  stale
  checked_at: checkedAt
  latency_ms: latencyMs
  ${problemSelection}
  raw
`;

/** Selects what all objects have, with the keys of REST bodies. */
const common = `
  handle
  statuses
  events { action date actor }
  remarks { title type description }
  links { rel href type }
  redacted { name method reason }
`;

const entities = `
  entities { handle roles contact { ${contactSelection} } public_ids: publicIds { type identifier } }
`;

/** Selects what networks have, with the keys of REST bodies. */
export const networkSelection = `
  start_address: startAddress
  end_address: endAddress
  cidr
  version
  name
  type
  country
  parent_handle: parentHandle
  geofeed
  origin_autnums: originAutnums
`;

const autnum = `
  start_number: startNumber
  end_number: endNumber
  name
  type
  country
`;

/** The saved operations of objects other than domains. */
export const objectOperations = {
  ip: `query Ip($id: String!, $maxAge: Int) {
    object: ip(address: $id, maxAge: $maxAge) { ${lookup} ${common} ${networkSelection} ${entities} }
  }`,
  autnum: `query Autnum($id: ID!, $maxAge: Int) {
    object: autnum(number: $id, maxAge: $maxAge) { ${lookup} ${common} ${autnum} ${entities} }
  }`,
  entity: `query Entity($id: String!, $tld: String, $maxAge: Int) {
    object: entity(handle: $id, tld: $tld, maxAge: $maxAge) {
      ${lookup} ${common} ${entities}
      roles
      contact { ${contactSelection} }
      public_ids: publicIds { type identifier }
      as_event_actor: asEventActor { action date actor }
      networks { handle ${networkSelection} }
      autnums { handle ${autnum} }
    }
  }`,
  nameserver: `query Nameserver($id: String!, $maxAge: Int) {
    object: nameserver(name: $id, maxAge: $maxAge) {
      ${lookup} ${common} ${entities}
      ldh_name: ldhName
      unicode_name: unicodeName
      ipv4
      ipv6
    }
  }`,
  reverse_zone: `query ReverseZone($id: String!, $maxAge: Int) {
    object: reverseZone(name: $id, maxAge: $maxAge) {
      ${lookup} ${common} ${entities}
      name
      nameservers
      hosts { name ipv4 ipv6 }
      ${dnssecSelection}
      network { handle ${networkSelection} }
    }
  }`,
} as const satisfies Record<ObjectType, string>;

interface ObjectResult extends Pick<
  RestRow,
  'rdap_endpoint' | 'cached' | 'stale' | 'checked_at' | 'latency_ms'
> {
  readonly found: boolean | null;
  readonly problem: ProblemFields | null;
  readonly raw: unknown;
}

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

/**
 * Returns the function that builds the body of an object. Without an answer, it throws a problem, and
 * also for a reverse zone that does not exist.
 */
export function objectBody(type: ObjectType, input: string): ParsedRestRequest['render'] {
  return (data) => {
    const { object } = data as { object: ObjectResult | null };
    if (object === null)
      throw new Problem('not_found', `The registry has no reverse zone ${quoted(input)}.`);
    if (object.found === null) throw failureOf(object.problem, input, object.rdap_endpoint);

    const members = object.found ? shape.without(object, lookupMembers) : null;
    return {
      body: shape.render(membersOf(type), { ...object, input, object: members }),
    };
  };
}

const titles = {
  ip: { name: 'Ip', title: 'The network of an address.' },
  autnum: { name: 'Autnum', title: 'An autonomous system.' },
  entity: { name: 'Entity', title: 'An entity.' },
  nameserver: { name: 'Nameserver', title: 'A nameserver, at the registry of its TLD.' },
  reverse_zone: { name: 'ReverseZone', title: 'A reverse zone.' },
} as const satisfies Record<ObjectType, object>;

export function objectSchemas({ types, propertiesOf }: BodySource): readonly JsonSchema[] {
  return objectTypes.map((type) => {
    const { name, title } = titles[type];
    const properties = propertiesOf(objectOperations[type]);
    const body = shape.print(membersOf(type), { types, properties });
    return shape.named(types, `${name}Record`, { description: title, ...body });
  });
}

interface ObjectBody extends ObjectResult {
  readonly input: string;
  readonly object: object | null;
}

function membersOf(type: ObjectType): Members<ObjectBody> {
  return {
    input: shape.text('The identifier as sent.', ({ input }) => input),
    type: [{ type: 'string', enum: [type], description: 'The type of the object.' }, () => type],
    found: shape.flag(
      'Whether the registry has the object. Without an answer, the response is a problem.',
      ({ found }) => found,
    ),
    source: [
      { type: 'string', enum: ['rdap'], description: 'Objects are looked up only over RDAP.' },
      () => 'rdap',
    ],
    ...shape.same('rdap_endpoint', 'cached', 'stale', 'checked_at'),
    latency_ms: [
      ({ properties }) => ({ ...properties['latency_ms'], type: 'integer' }),
      ({ latency_ms }) => Math.round(latency_ms),
    ],
    object: [
      ({ properties, types }) => {
        const data = shape.objectOf(shape.without(properties, lookupMembers));
        return {
          ...shape.orNull(shape.named(types, `${titles[type].name}Data`, data)),
          description: 'The data of the object; null if it was not found.',
        };
      },
      ({ object }) => object,
    ],
    rdap: [
      ({ properties }) => ({
        ...properties['raw'],
        description: "The registry's own object (RFC 9083), as sent; null if it was not found.",
      }),
      ({ raw }) => raw,
    ],
  };
}
