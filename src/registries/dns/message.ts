import { randomInt } from 'node:crypto';
import {
  decode,
  encode,
  type DecodedPacket,
  type OptAnswer,
  type Answer,
  type StringAnswer,
} from 'dns-packet';

/** An encoded NS query. */
export interface DnsQuery {
  readonly message: Buffer;
  /** Whether it contains an OPT record. */
  readonly hasEdns: boolean;
}

const headerBytes = 12;
const maxNameLength = 253;
const maxLabelLength = 63;
/** Avoids IP fragmentation (DNS Flag Day 2020). */
const udpPayloadSize = 1232;

/** Returns whether a name can be encoded: dns-packet does not check the lengths. */
export function isEncodable(name: string): boolean {
  return name.length <= maxNameLength && name.split('.').every(isLabel);
}

const isLabel = ({ length }: string) => length > 0 && length <= maxLabelLength;

/**
 * The flag DE of EDNS (draft-ietf-dnsop-delext): without it, a server hides a delegation that only
 * DELEG records make.
 */
const delegationExtensions = 1 << 13;
/** The type of DELEG records (draft-ietf-deleg-12 section 8.1), as dns-packet writes it. */
const deleg = 'UNKNOWN_61440';

/**
 * Encodes a query for the delegation of a name, without recursion. The ID and the case of the
 * letters are random, so that a forged response has to guess them.
 */
export function encodeQuery(name: string, hasEdns: boolean): DnsQuery {
  const message = encode({
    type: 'query',
    id: randomInt(2 ** 16),
    flags: 0,
    questions: [{ type: 'NS', class: 'IN', name: withRandomCase(name) }],
    additionals: hasEdns ? [optRecord()] : [],
  });
  return { message, hasEdns };
}

function optRecord(): OptAnswer {
  return {
    type: 'OPT',
    name: '.',
    udpPayloadSize,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: delegationExtensions,
    flag_do: false,
    options: [],
  };
}

function withRandomCase(name: string): string {
  return name.replace(/[a-z]/g, (letter) => (randomInt(2) === 0 ? letter : letter.toUpperCase()));
}

/**
 * Returns whether a message is the response to a query: same ID, and the same question byte for
 * byte. `other_case`: only the case of the name differs. An error may lack the question: a server
 * that cannot parse OPT returns only the header (RFC 6891 section 7).
 */
export function matchResponse(response: Buffer, query: DnsQuery): 'exact' | 'other_case' | 'none' {
  const isResponse =
    response.length >= headerBytes &&
    response.readUInt16BE(0) === query.message.readUInt16BE(0) &&
    (response.readUInt8(2) & responseMask) === responseFlag;
  if (!isResponse) return 'none';

  const questions = response.readUInt16BE(4);
  if (questions === 0 && isErrorCode(response.readUInt8(3) & rcodeMask)) return 'exact';

  const questionEnd = query.hasEdns ? query.message.length - optBytes : query.message.length;
  if (questions !== 1 || response.length < questionEnd) return 'none';

  const received = response.subarray(headerBytes, questionEnd);
  const sent = query.message.subarray(headerBytes, questionEnd);
  if (received.equals(sent)) return 'exact';

  return lowerCase(received.toString('latin1')) === lowerCase(sent.toString('latin1'))
    ? 'other_case'
    : 'none';
}

/** An OPT record without options. */
const optBytes = 11;
/** QR and OPCODE, in the third byte of the header. */
const responseMask = 0b1111_1000;
const responseFlag = 0b1000_0000;
/** RCODE, in the fourth byte of the header. */
const rcodeMask = 0b1111;

/**
 * More than any referral or negative answer has. A larger one may contain chains of compressed
 * names that take a second to decode.
 */
const maxMessageBytes = 8192;

/** Decodes a message from the network. Returns undefined if it is malformed or too large. */
export function decodeMessage(message: Buffer): DecodedPacket | undefined {
  if (message.length > maxMessageBytes) return undefined;
  try {
    return decode(message);
  } catch {
    // dns-packet throws errors of several types for malformed messages.
    return undefined;
  }
}

/** Returns the name in a query, in lower case; empty if it is malformed. */
export function questionOf({ message }: Pick<DnsQuery, 'message'>): string {
  return lowerCase(decodeMessage(message)?.questions?.[0]?.name ?? '');
}

/** Converts ASCII letters only: `toLowerCase` also maps the Kelvin sign to `k`. */
export function lowerCase(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** What is needed to classify the response to an NS query. */
export interface QueriedName {
  readonly name: string;
  /** The zone whose servers were queried. */
  readonly zone: string;
  /**
   * Owners that the SOA record of a negative answer may have: the zone, and the zones above it that
   * the servers may serve instead.
   */
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
 * `delegated`: the zone delegates exactly this name. `hosted`: the server has or knows a zone of the
 * name, whether or not the parent zone delegates it. `nxdomain`, `nodata`: a valid negative answer.
 * `alias`: the name is a CNAME, or below a DNAME. `zone_cut`: the zone delegates an ancestor of the
 * name, so its servers are not those of the direct parent.
 */
export type ConclusiveReply =
  ZoneCut | { readonly kind: 'delegated' | 'hosted' | 'nxdomain' | 'nodata' | 'alias' };

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
  if (isErrorCode(rcode)) return { kind: 'refused' };
  if (message.flag_ra) return { kind: 'intercepted' };

  const reply = classifyRecords(message, queried, rcode);
  const isUnclear = rcode === noError && /^(?:invalid|intercepted)$/.test(reply.kind);
  return isUnclear && hasZoneOf(queried.name, message) ? { kind: 'hosted' } : reply;
}

function classifyRecords(
  message: DecodedPacket,
  queried: QueriedName,
  rcode: number,
): ConclusiveReply | InconclusiveReply {
  const records = message.answers ?? [];
  if (records.length > 0)
    return { kind: message.flag_aa ? classifyAnswer(records, queried, rcode) : 'intercepted' };

  return message.flag_aa
    ? { kind: classifyNegative(message, queried, rcode) }
    : classifyReferral(message, queried, rcode);
}

/** Records of a zone of the name show that it exists, even in a form that proves no delegation. */
function hasZoneOf(name: string, { answers = [], authorities = [] }: DecodedPacket): boolean {
  const types: readonly string[] = ['NS', 'SOA', deleg];
  const ofZones = [...answers, ...authorities].filter(({ type }) => types.includes(type));
  return ofZones.some((record) => isInternet(record) && ownerOf(record) === name);
}

const noError = 0;
const nxDomain = 3;
/** FORMERR, NOTIMP, BADVERS. */
const rcodesWithoutEdns = new Set([1, 4, 16]);

function isErrorCode(rcode: number): boolean {
  return rcode !== noError && rcode !== nxDomain;
}

/** Combines the RCODE of the header with the upper bits in the OPT record (RFC 6891). */
function rcodeOf({ flags = 0, additionals = [] }: DecodedPacket): number {
  const opt = additionals.find((record) => record.type === 'OPT');
  return ((opt?.extendedRcode ?? 0) << 4) | (flags & 0xf);
}

function classifyAnswer(
  records: readonly Answer[],
  { name }: QueriedName,
  rcode: number,
): 'hosted' | 'alias' | 'intercepted' | 'invalid' {
  const has = (type: string) => records.some((record) => record.type === type);
  if (has('CNAME') || has('DNAME')) return 'alias';
  // No authoritative server answers a query for NS with addresses.
  if (has('A') || has('AAAA')) return 'intercepted';
  const isOfChildZone = rcode === noError && nsRecords(records).some(isOwnedBy(name));
  return isOfChildZone ? 'hosted' : 'invalid';
}

function classifyNegative(
  { authorities = [] }: DecodedPacket,
  { name, soaOwners }: QueriedName,
  rcode: number,
): 'nxdomain' | 'nodata' | 'invalid' {
  const hasSoa = authorities.some(
    (record) => record.type === 'SOA' && isInternet(record) && soaOwners.includes(ownerOf(record)),
  );
  if (!hasSoa || delegationsIn(authorities).some(isOwnedBy(name))) return 'invalid';
  return rcode === nxDomain ? 'nxdomain' : 'nodata';
}

function classifyReferral(
  { authorities = [] }: DecodedPacket,
  { name, zone, soaOwners }: QueriedName,
  rcode: number,
): ConclusiveReply | InconclusiveReply {
  const owners = new Set(delegationsIn(authorities).map(ownerOf));
  const [owner] = owners;

  // A referral contains the NS or DELEG records of one zone.
  if (rcode !== noError || owner === undefined || owners.size > 1) return { kind: 'invalid' };
  if (owner === name) return { kind: 'delegated' };

  // Servers of a zone above may delegate the zone itself; a referral to a TLD leads upward.
  const isCut = owner.endsWith(`.${zone}`) || soaOwners.slice(0, -1).includes(owner);
  if (name.endsWith(`.${owner}`) && isCut)
    return {
      kind: 'zone_cut',
      zone: owner,
      nameServers: nsRecords(authorities).map(({ data }) => data),
    };

  return { kind: 'lame' };
}

function nsRecords(records: readonly Answer[]): readonly StringAnswer[] {
  return records.filter(
    (record): record is StringAnswer => record.type === 'NS' && isInternet(record),
  );
}

function delegationsIn(records: readonly Answer[]): readonly Answer[] {
  return [...nsRecords(records), ...records.filter(isDelegRecord)];
}

/** Returns whether a record is a DELEG record, which dns-packet does not know. */
function isDelegRecord(record: Answer): boolean {
  return (record.type as string) === deleg && isInternet(record);
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
