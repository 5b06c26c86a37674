import table from './whois-table.json' with { type: 'json' };
import type { WhoisFormat } from './whois-format.ts';

/** The WHOIS server of a registry. */
export interface WhoisService {
  readonly host: string;
  readonly port: number;
  /** The suffixes directly under which the registry has names. */
  readonly suffixes: readonly string[];
  readonly format: WhoisFormat;
}

interface BuiltInService {
  readonly tlds: readonly string[];
  readonly host: string;
  /** Suffixes below the TLDs; names under others belong to other operators. */
  readonly secondLevel?: readonly string[];
  readonly format: WhoisFormat;
}

const port = 43;

/**
 * Servers whose replies were captured for both registered and unregistered names, and whose terms
 * do not forbid automated queries (`docs/registry-terms.md` quotes them).
 */
const services = table as unknown as readonly BuiltInService[];

/** The TLDs whose WHOIS server is queried. */
export const whoisTlds: readonly string[] = services.flatMap(({ tlds }) => tlds);

/** Returns the WHOIS server of a TLD, given in lower case. */
export function whoisServiceOf(tld: string): WhoisService | undefined {
  const service = services.find(({ tlds }) => tlds.includes(tld));
  if (!service) return undefined;
  const { host, secondLevel = [], format } = service;
  const suffixes = [tld, ...secondLevel.filter((suffix) => suffix.endsWith(`.${tld}`))];
  return { host, port, suffixes, format };
}
