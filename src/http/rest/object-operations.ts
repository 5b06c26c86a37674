import type { ObjectType } from '../../domain/object-ref.ts';
import { problemSelection } from '../messages/lookup-problem.ts';
import { contactSelection } from './selections.ts';

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

const network = `
  start_address: startAddress
  end_address: endAddress
  cidr
  version
  name
  type
  country
  parent_handle: parentHandle
  origin_autnums: originAutnums
`;

const autnum = `
  start_number: startNumber
  end_number: endNumber
  name
  type
  country
`;

/** Looks up the network of an address. */
const ipOperation = `query Ip($id: String!, $maxAge: Int) {
  object: ip(address: $id, maxAge: $maxAge) { ${lookup} ${common} ${network} ${entities} }
}`;

/** Looks up an autonomous system. */
const autnumOperation = `query Autnum($id: ID!, $maxAge: Int) {
  object: autnum(number: $id, maxAge: $maxAge) { ${lookup} ${common} ${autnum} ${entities} }
}`;

/** Looks up an entity. */
const entityOperation = `query Entity($id: String!, $tld: String, $maxAge: Int) {
  object: entity(handle: $id, tld: $tld, maxAge: $maxAge) {
    ${lookup} ${common} ${entities}
    roles
    contact { ${contactSelection} }
    public_ids: publicIds { type identifier }
    as_event_actor: asEventActor { action date actor }
    networks { handle ${network} }
    autnums { handle ${autnum} }
  }
}`;

/** Looks up a nameserver at the registry of its TLD. */
const nameserverOperation = `query Nameserver($id: String!, $maxAge: Int) {
  object: nameserver(name: $id, maxAge: $maxAge) {
    ${lookup} ${common} ${entities}
    ldh_name: ldhName
    unicode_name: unicodeName
    ipv4
    ipv6
  }
}`;

/** The saved operations of objects other than domains. */
export const objectOperations = {
  ip: ipOperation,
  autnum: autnumOperation,
  entity: entityOperation,
  nameserver: nameserverOperation,
} as const satisfies Record<ObjectType, string>;
