import type { Resolver } from 'node:dns/promises';
import type { DnsRecords } from './dns-records.ts';
import type { ReadFact } from '../site-facts.ts';
import {
  readRecords,
  queryResult,
  recordsIn,
  caaPropertyOf,
  mailServerOf,
  nameOf,
  sortedRecords,
  startOfAuthorityOf,
  textOf,
  type RecordsOptions,
  type SoaRecord,
} from './read-records.ts';
import { errorCode } from '../../shared/error-code.ts';

/** Creates the reader of the DNS records of a host. If one type cannot be read, the read fails. */
export function dnsReader(options: RecordsOptions): ReadFact<DnsRecords> {
  return ({ target: { host } }, request) =>
    readRecords(options, host, request, (resolver) => readAll(resolver, host));
}

async function readAll(resolver: Resolver, host: string): Promise<DnsRecords> {
  const [aliases, a, aaaa, mx, ns, txt, caa, soa] = await Promise.all([
    followAliases(resolver, host),
    queryResult(resolver.resolve4(host), host),
    queryResult(resolver.resolve6(host), host),
    queryResult(resolver.resolveMx(host), host),
    queryResult(resolver.resolveNs(host), host),
    queryResult(resolver.resolveTxt(host), host),
    queryResult(resolver.resolveCaa(host), host),
    queryResult(resolveSoa(resolver, host), host),
  ]);
  const answers = [a, aaaa, mx, ns, txt, caa, soa];

  return {
    // The target of an alias may be missing, and some servers answer NXDOMAIN for some types.
    exists: !aliases.isMissing || answers.some((answer) => answer !== 'missing'),
    a: sortedRecords(recordsIn(a), String),
    aaaa: sortedRecords(recordsIn(aaaa), String),
    cname: aliases.targets,
    mx: sortedRecords(recordsIn(mx).map(mailServerOf), ({ priority, exchange }) => `${String(priority).padStart(5, '0')} ${exchange}`), // prettier-ignore
    ns: sortedRecords(recordsIn(ns).map(nameOf), String),
    txt: sortedRecords(recordsIn(txt).map(textOf), String),
    caa: sortedRecords(
      recordsIn(caa).flatMap((record) => caaPropertyOf(record) ?? []),
      ({ tag, value }) => `${tag} ${value}`,
    ),
    soa: typeof soa === 'object' && soa.records ? startOfAuthorityOf(soa.records) : null,
  };
}

/** `node:dns` rejects with `EBADRESP` if the answer has only the CNAME records of an alias. */
async function resolveSoa(resolver: Resolver, host: string): Promise<SoaRecord | undefined> {
  try {
    return await resolver.resolveSoa(host);
  } catch (error) {
    if (errorCode(error) === 'EBADRESP') return undefined;
    throw error;
  }
}

const maxAliases = 10;

/**
 * Follows CNAME records one by one: `node:dns` returns the first of a chain only. Returns at most ten
 * targets in their order, or that the name has no records and no names under it (NXDOMAIN).
 */
async function followAliases(resolver: Resolver, name: string) {
  const targets: string[] = [];
  for (let owner = name; targets.length < maxAliases;) {
    const result = await queryResult(resolver.resolveCname(owner), owner);
    if (targets.length === 0 && result === 'missing') return { targets, isMissing: true };

    const [target] = recordsIn(result);
    if (!target) break;

    owner = nameOf(target);
    if (owner === name || targets.includes(owner)) break;

    targets.push(owner);
  }

  return { targets, isMissing: false };
}
