import { lookupPath, type ObjectRef } from '../../domain/object-ref.ts';
import type { JsonObject, Registration } from '../../domain/registration.ts';
import {
  createAnswer,
  type Answer,
  type AttemptRequest,
  type LookupQuery,
  type Source,
} from '../../domain/source.ts';
import { classifyObjectResponse } from './classify-object-response.ts';
import { toRdapResponse } from './classify-response.ts';
import type { RegistryResponse } from '../../outbound/client.ts';
import { matchesObject } from './matches-object.ts';
import { isSameOperator } from './rdap-source.ts';
import { exchangeRdap, type CompletedExchange, type RdapOptions } from './rdap-exchange.ts';

/**
 * Queries an RDAP server for objects other than domains (RFC 9082 section 3.1). An object that it has
 * is REGISTERED, with its JSON in `registration().raw`; one that it does not have is AVAILABLE.
 */
export class ObjectSource implements Source {
  /** The base URL. */
  readonly id: string;
  readonly #options: RdapOptions;
  readonly #is404Trusted: boolean;

  constructor(baseUrl: string, is404Trusted: boolean, options: RdapOptions) {
    this.id = baseUrl;
    this.#is404Trusted = is404Trusted;
    this.#options = options;
  }

  async lookup({ name, ref }: LookupQuery, request: AttemptRequest): Promise<Answer> {
    if (!ref) throw new Error('a domain was looked up as another object');
    const lookup = {
      baseUrl: this.id,
      path: lookupPath(ref),
      name,
      read: (response: RegistryResponse, exchange: CompletedExchange) =>
        this.#read(ref, response, exchange),
    };
    return exchangeRdap(lookup, request, this.#options);
  }

  #read(ref: ObjectRef, response: RegistryResponse, exchange: CompletedExchange): Answer {
    const { sentAt, answeredAt, attempts } = exchange;
    const { verdict, object, problem, failure } = classifyObjectResponse(
      toRdapResponse(response, this.id, isSameOperator(response.url, this.id), this.#is404Trusted),
      (json) => matchesObject(ref, json),
    );
    return createAnswer(
      {
        verdict,
        ...(object && {
          registration: () => unparsed(object),
          characters: response.body.length,
        }),
        ...(problem && { problem }),
      },
      {
        endpoint: this.id,
        sentAt,
        attempts,
        evidence: {
          httpStatus: response.status,
          mediaType: response.mediaType,
          unproven: false,
        },
        ...(verdict !== 'UNKNOWN' && { checkedAt: answeredAt }),
        ...(failure && { failure }),
      },
    );
  }
}

/** Returns a record that is stored like that of a domain, with only the registry's own object. */
function unparsed(raw: JsonObject): Registration {
  return {
    hosts: [],
    statuses: [],
    contacts: [],
    events: [],
    dnssec: { dsRecords: [] },
    redacted: [],
    raw,
  };
}
