import { randomInt } from 'node:crypto';
import { decode, encode, type DecodedPacket, type OptAnswer } from 'dns-packet';

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

function isLabel({ length }: string): boolean {
  return length > 0 && length <= maxLabelLength;
}

/**
 * Encodes a query for the NS records of a name, without recursion. The ID and the case of the
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
    flags: 0,
    flag_do: false,
    options: [],
  };
}

function withRandomCase(name: string): string {
  return name.replace(/[a-z]/g, (letter) => (randomInt(2) === 0 ? letter : letter.toUpperCase()));
}

/**
 * Returns whether a message is the response to a query: same ID, and the same question byte for
 * byte. `other_case`: only the case of the name differs.
 */
export function matchResponse(response: Buffer, query: DnsQuery): 'exact' | 'other_case' | 'none' {
  const questionEnd = query.hasEdns ? query.message.length - optBytes : query.message.length;
  if (response.length < questionEnd) return 'none';
  const isResponse =
    response.readUInt16BE(0) === query.message.readUInt16BE(0) &&
    (response.readUInt8(2) & responseMask) === responseFlag &&
    response.readUInt16BE(4) === 1;
  if (!isResponse) return 'none';
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

/** Converts ASCII letters only: `toLowerCase` also maps the Kelvin sign to `k`. */
export function lowerCase(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
