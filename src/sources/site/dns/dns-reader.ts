import type { Resolver } from 'node:dns/promises';
import type { DnsRecords } from '../../../domain/site/dns-records.ts';
import type { ReadFact } from '../../../domain/site/site-facts.ts';
import { followAliases } from './aliases.ts';
import { readRecords, type RecordsOptions } from './read-records.ts';
import {
  authorityOf,
  bounded,
  mailServerOf,
  nameOf,
  startOfAuthority,
  textOf,
  type SoaRecord,
} from './record-texts.ts';
import { errorCode } from '../../../error-code.ts';
import { resolved, type Resolved } from './resolve.ts';

/** Reads the DNS records of a host. If one type cannot be read, the read fails. */
export function dnsReader(options: RecordsOptions): ReadFact<'dns'> {
  return ({ target: { host } }, request) =>
    readRecords(options, host, request, (resolver) => readAll(resolver, host));
}

async function readAll(resolver: Resolver, host: string): Promise<DnsRecords> {
  const [aliases, a, aaaa, mx, ns, txt, caa, soa] = await Promise.all([
    followAliases(resolver, host),
    resolved(resolver.resolve4(host), host),
    resolved(resolver.resolve6(host), host),
    resolved(resolver.resolveMx(host), host),
    resolved(resolver.resolveNs(host), host),
    resolved(resolver.resolveTxt(host), host),
    resolved(resolver.resolveCaa(host), host),
    resolved(resolveSoa(resolver, host), host),
  ]);
  const answers = [a, aaaa, mx, ns, txt, caa, soa];
  return {
    // The target of an alias may be missing, and some servers answer NXDOMAIN for some types.
    exists: !aliases.isMissing || answers.some((answer) => answer !== 'missing'),
    a: bounded(listOf(a), String),
    aaaa: bounded(listOf(aaaa), String),
    cname: aliases.targets,
    mx: bounded(listOf(mx).map(mailServerOf), ({ priority, exchange }) => `${String(priority).padStart(5, '0')} ${exchange}`), // prettier-ignore
    ns: bounded(listOf(ns).map(nameOf), String),
    txt: bounded(listOf(txt).map(textOf), String),
    caa: bounded(
      listOf(caa).flatMap((record) => authorityOf(record) ?? []),
      ({ tag, value }) => `${tag} ${value}`,
    ),
    soa: typeof soa === 'object' && soa.records ? startOfAuthority(soa.records) : null,
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

function listOf<T>(answer: Resolved<readonly T[]>): readonly T[] {
  return typeof answer === 'object' ? answer.records : [];
}
