import type {
  DnsKey,
  Dnssec,
  DsRecord,
  Json,
  JsonObject,
  RecordTtl,
} from '../../domain/registration.ts';
import { asObject, listOf, objectsOf, omitUndefined } from './json.ts';
import { asLowerCaseText, asText } from './text.ts';

/** Reads `secureDNS` (RFC 9083 section 5.3). */
export function dnssecOf(secureDns: JsonObject | undefined): Dnssec {
  const dsRecords = objectsOf(secureDns?.['dsData']).flatMap((ds) => dsRecordOf(ds) ?? []);
  const distinct = new Map(dsRecords.map((ds) => [JSON.stringify(ds).toLowerCase(), ds]));
  const declared = booleanOf(secureDns?.['delegationSigned']);

  // Registries that store DNSKEYs derive the DS records from them (DENIC, CZ.NIC).
  const keyData = objectsOf(secureDns?.['keyData']);
  const keys = keyData.flatMap((key) => dnsKeyOf(key) ?? []);

  return omitUndefined<Dnssec>({
    signed: dsRecords.length > 0 ? true : (declared ?? (keyData.length > 0 ? true : undefined)),
    dsRecords: [...distinct.values()],
    keys: keys.length > 0 ? keys : undefined,
    maxSigLife: intOf(secureDns?.['maxSigLife'], maxSeconds),
  });
}

/** RFC 5910 section 4.3 and RFC 2181 section 8: signed numbers of 32 bits. */
const maxSeconds = 0x7fff_ffff;

function dsRecordOf(ds: JsonObject): DsRecord | undefined {
  const [keyTag, algorithm, digestType] = [
    intOf(ds['keyTag'], 65_535),
    intOf(ds['algorithm'], 255),
    intOf(ds['digestType'], 255),
  ];
  const digest = asText(ds['digest'])?.replaceAll(' ', '');
  const isComplete =
    keyTag !== undefined &&
    algorithm !== undefined &&
    digestType !== undefined &&
    digest &&
    /^[\da-f]+$/i.test(digest);

  return isComplete ? { keyTag, algorithm, digestType, digest } : undefined;
}

function dnsKeyOf(key: JsonObject): DnsKey | undefined {
  const [flags, protocol, algorithm] = [
    intOf(key['flags'], 65_535),
    intOf(key['protocol'], 255),
    intOf(key['algorithm'], 255),
  ];
  const sent = key['publicKey'];

  // A key of 4,096 bits is longer than other texts.
  const publicKey = typeof sent === 'string' ? sent.replaceAll(/\s/g, '') : '';
  const isComplete =
    flags !== undefined &&
    protocol !== undefined &&
    algorithm !== undefined &&
    /^[a-z\d+/]{1,8192}={0,2}$/i.test(publicKey);

  return isComplete ? { flags, protocol, algorithm, publicKey } : undefined;
}

/** Reads the TTLs of a domain, in the form of a list by types or of an object by type. */
export function ttlsIn(json: Json | undefined): readonly RecordTtl[] {
  const byType = Object.entries(asObject(json) ?? {}).map(([type, value]) => {
    const sent = asObject(value)?.['value'] ?? value;
    return { types: type, value: sent };
  });
  return [...objectsOf(Array.isArray(json) ? json : []), ...byType].flatMap(({ types, value }) => {
    const seconds = intOf(value, maxSeconds);
    return seconds === undefined
      ? []
      : listOf(types).flatMap((type) => {
          const mnemonic = asText(type)?.toUpperCase();
          return mnemonic === undefined ? [] : { type: mnemonic, value: seconds };
        });
  });
}

function booleanOf(json: Json | undefined): boolean | undefined {
  const word =
    typeof json === 'boolean' || typeof json === 'number' ? String(json) : asLowerCaseText(json);
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : undefined;
}

function intOf(json: Json | undefined, max: number): number | undefined {
  const text = typeof json === 'number' ? String(json) : asText(json);
  return text && /^\d{1,10}$/.test(text) && Number(text) <= max ? Number(text) : undefined;
}
