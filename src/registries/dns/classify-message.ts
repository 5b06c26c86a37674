import type { Answer, DecodedPacket, StringAnswer } from 'dns-packet';
import { lowerCase } from './message.ts';

/** What is needed to classify the response to an NS query. */
export interface QueriedName {
  readonly name: string;
  /** The zone whose servers were queried. */
  readonly zone: string;
  /** Owners that the SOA record of a negative answer may have. */
  readonly soaOwners: readonly string[];
  /** Whether the query contained an OPT record. */
  readonly hasEdns: boolean;
}

/** A zone below the queried one, as its parent delegates it. */
export interface ZoneCut {
  readonly kind: 'zone_cut';
  readonly zone: string;
  readonly nameServers: readonly string[];
}

/**
 * `delegated`: the zone delegates exactly this name. `nxdomain`, `nodata`: a valid negative answer.
 * `alias`: the name is a CNAME, or below a DNAME. `zone_cut`: the zone delegates an ancestor of the
 * name, so its servers are not those of the direct parent.
 */
export type ConclusiveReply =
  ZoneCut | { readonly kind: 'delegated' | 'nxdomain' | 'nodata' | 'alias' };

/**
 * `truncated`: repeat over TCP. `no_edns`: repeat without OPT. The others do not answer the query:
 * `refused`: an error code. `intercepted`: not from an authoritative server. `lame`: from a server
 * of another zone. `invalid`: anything else.
 */
export type InconclusiveReply = {
  readonly kind: 'truncated' | 'no_edns' | 'refused' | 'intercepted' | 'lame' | 'invalid';
};

/** Classifies the response to an NS query, whose ID and question have been checked. */
export function classifyMessage(
  message: DecodedPacket,
  queried: QueriedName,
): ConclusiveReply | InconclusiveReply {
  if (message.flag_tc) return { kind: 'truncated' };
  const rcode = rcodeOf(message);
  if (queried.hasEdns && rcodesWithoutEdns.has(rcode)) return { kind: 'no_edns' };
  if (rcode !== noError && rcode !== nxDomain) return { kind: 'refused' };
  if (message.flag_ra) return { kind: 'intercepted' };
  const records = message.answers ?? [];
  if (records.length > 0)
    return { kind: message.flag_aa ? classifyAnswer(records, queried, rcode) : 'intercepted' };
  return message.flag_aa
    ? { kind: classifyNegative(message, queried, rcode) }
    : classifyReferral(message, queried, rcode);
}

const noError = 0;
const nxDomain = 3;
/** FORMERR, NOTIMP, BADVERS. */
const rcodesWithoutEdns = new Set([1, 4, 16]);

/** Combines the RCODE of the header with the upper bits in the OPT record (RFC 6891). */
function rcodeOf({ flags = 0, additionals = [] }: DecodedPacket): number {
  const opt = additionals.find((record) => record.type === 'OPT');
  return ((opt?.extendedRcode ?? 0) << 4) | (flags & 0xf);
}

function classifyAnswer(
  records: readonly Answer[],
  { name }: QueriedName,
  rcode: number,
): 'delegated' | 'alias' | 'intercepted' | 'invalid' {
  const has = (type: string) => records.some((record) => record.type === type);
  if (has('CNAME') || has('DNAME')) return 'alias';
  // No authoritative server answers a query for NS with addresses.
  if (has('A') || has('AAAA')) return 'intercepted';
  const isOfChildZone = rcode === noError && nsRecords(records).some(isOwnedBy(name));
  return isOfChildZone ? 'delegated' : 'invalid';
}

function classifyNegative(
  { authorities = [] }: DecodedPacket,
  { name, soaOwners }: QueriedName,
  rcode: number,
): 'nxdomain' | 'nodata' | 'invalid' {
  const hasSoa = authorities.some(
    (record) => record.type === 'SOA' && isInternet(record) && soaOwners.includes(ownerOf(record)),
  );
  if (!hasSoa || nsRecords(authorities).some(isOwnedBy(name))) return 'invalid';
  return rcode === nxDomain ? 'nxdomain' : 'nodata';
}

function classifyReferral(
  { authorities = [] }: DecodedPacket,
  { name, zone }: QueriedName,
  rcode: number,
): ConclusiveReply | InconclusiveReply {
  const records = nsRecords(authorities);
  const owners = new Set(records.map(ownerOf));
  const [owner] = owners;
  // A referral contains the NS records of one zone.
  if (rcode !== noError || owner === undefined || owners.size > 1) return { kind: 'invalid' };
  if (owner === name) return { kind: 'delegated' };
  if (name.endsWith(`.${owner}`) && owner.endsWith(`.${zone}`))
    return { kind: 'zone_cut', zone: owner, nameServers: records.map(({ data }) => data) };
  return { kind: 'lame' };
}

function nsRecords(records: readonly Answer[]): readonly StringAnswer[] {
  return records.filter(
    (record): record is StringAnswer => record.type === 'NS' && isInternet(record),
  );
}

/** Returns whether a record has class IN. dns-packet reads the top bit of the class as `flush`. */
function isInternet(record: Answer): boolean {
  return 'class' in record && record.class === 'IN' && record.flush !== true;
}

function ownerOf(record: Answer): string {
  return lowerCase(record.name);
}

function isOwnedBy(name: string): (record: Answer) => boolean {
  return (record) => ownerOf(record) === name;
}
