import type { DomainName } from '../domain/names/domain-name.ts';
import type { HostPort } from '../domain/names/ip-address.ts';
import type { Service } from './directory/bootstrap-parser.ts';
import type { DasEndpoint, WhoisEndpoint } from './directory/suffix-sources.ts';

/** The sources of a name, and what has been learned about its RDAP servers. */
export interface SourceFacts {
  /** The suffix of the directory that has the sources. */
  readonly entry: string;
  readonly rdap?: Service | undefined;
  readonly das?: DasEndpoint | undefined;
  readonly whois?: WhoisEndpoint | undefined;
  /** Undefined if the DNS is not queried. Without servers, they are found by a resolver. */
  readonly dns?:
    | {
        readonly servers?: readonly HostPort[] | undefined;
        /** Names that are probably delegated, if they are not those of the built-in table. */
        readonly samples?: readonly DomainName[] | undefined;
      }
    | undefined;
  readonly learned: readonly {
    readonly baseUrl: string;
    readonly canaries: readonly DomainName[];
    /** A server that finds no canary must be missing data: it is known to find other names. */
    readonly mustFind?: boolean;
    /** It has found a name under the suffix of the name. */
    readonly hasFoundSuffix: boolean;
  }[];
}
