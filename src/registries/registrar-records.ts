import { readThrough, type CacheContext } from './cache/read-through.ts';
import type { DomainName } from '../domain/names/domain-name.ts';
import type { JsonObject } from '../domain/registration.ts';
import type { RegistrarRecords } from '../domain/directory.ts';
import { answerOf, type RdapRecord } from '../domain/answer.ts';
import type { NameQuery, Source } from '../domain/source.ts';
import { Problem } from '../domain/problems.ts';
import type { RegistryResponse } from '../outbound/client.ts';
import { asObject, hasClass, objectsOf, readJson } from './rdap/json.ts';
import { withMemberNames } from './rdap/member-names.ts';
import { asLowerCaseText } from './rdap/text.ts';
import { matchesName, serverFailure, type Failed } from './rdap/classify-response.ts';
import { parseRegistrarRecord } from './rdap/registration.ts';
import { exchangeRdap, type CompletedExchange, type RdapOptions } from './rdap/rdap-exchange.ts';
import { throttledSource, type ThrottleOptions } from './throttled.ts';

interface RegistrarOptions extends RdapOptions, ThrottleOptions {
  /**
   * Separate from the registries' cache, because a registrar's answer must never serve as a
   * registry's.
   */
  readonly cache: CacheContext<NameQuery, RdapRecord | null>;
}

/**
 * Follows a registry's link to the registrar's record (ICANN TIG 3.2). Links in that record are not
 * followed.
 */
export function createRegistrarRecords(options: RegistrarOptions): RegistrarRecords {
  const { cache } = options;
  return {
    async get(query, { registration, endpoint }, request) {
      const urls = relatedUrls(registration().raw, `${endpoint ?? ''}domain/${query.name.ascii}`);
      const lookUp = (url: string, registrarQuery: NameQuery) =>
        readThrough(
          throttledSource(registrarSource(url, options), options),
          cache,
          registrarQuery,
          request,
        );

      const [first, second] = urls;
      if (first === undefined) return null;

      const fresh = { ...query, maxAge: 0, notBefore: undefined };
      let answer = await lookUp(first, query);

      // The cached or in-flight record may be that of the name's former registrar.
      const { endpoint: source = '' } = answer.provenance;
      if (!answer.problem && !urls.includes(source)) answer = await lookUp(first, fresh);

      if (second !== undefined && !answer.data?.json && answer.provenance.endpoint !== second) {
        const other = await lookUp(second, fresh);
        if (other.data?.json || answer.problem) answer = other;
      }

      if (answer.problem) throw answer.problem;

      return answer.data?.json
        ? parseRegistrarRecord(answer.data.json, (error) =>
            options.onParserError(answer.provenance.endpoint ?? first, error),
          )
        : null;
    },
  };
}

/** Returns a source for the registrar's record of one name, or null. No retries. */
function registrarSource(
  url: string,
  options: RegistrarOptions,
): Source<NameQuery, RdapRecord | null> {
  return {
    id: url,
    lookup({ name: { ascii: name } }, request) {
      const read = (response: RegistryResponse, { answeredAt }: CompletedExchange) => {
        const { record, problem, failure } = readResponse(response, name);
        return answerOf(record, problem, {
          endpoint: url,
          ...(failure && { failure }),
          ...(!problem && { checkedAt: answeredAt }),
        });
      };
      return exchangeRdap({ baseUrl: url, path: '', read }, request, options);
    },
  };
}

/** The record, or why there is none. */
interface RegistrarResult extends Failed {
  readonly record?: RdapRecord | null;
}

function readResponse(response: RegistryResponse, name: DomainName): RegistrarResult {
  const { status, retryAfter, body } = response;
  if (status === 200) return readRecord(body, name);
  if (status === 404) return { record: null };

  const detail = `The registrar returned status ${status}.`;
  if (status === 429 || status === 503)
    return { problem: new Problem('registry_busy', detail, { retryAfter }), failure: 'busy' };

  const problem = new Problem('registry_error', detail);
  if (status < 500) return { problem };

  const contentLength = response.header('content-length');
  return { problem, failure: serverFailure({ status, contentLength }) };
}

function readRecord(body: Uint8Array, name: DomainName): RegistrarResult {
  const json = asObject(readJson(body));
  return json &&
    hasClass(withMemberNames(json), 'domain') &&
    matchesName(withMemberNames(json), name)
    ? { record: { json, characters: body.length } }
    : {
        problem: new Problem(
          'untrusted_answer',
          'The registrar sent something other than a record of this name.',
        ),
      };
}

/**
 * Returns the registrar's URLs for the name, at most two, unless they are the URL just queried. A link
 * may lack a type (RFC 9083 section 4.2), or have another one of JSON, but one with the type of RDAP is
 * preferred. The client checks that the address is allowed.
 */
function relatedUrls(object: JsonObject | undefined, registryUrl: string): readonly string[] {
  const links = objectsOf(withMemberNames(object ?? {})['links']).filter(({ rel }) =>
    asLowerCaseText(rel)?.split(' ').includes('related'),
  );
  const urls = linkTypes
    .flatMap((type) => links.filter((link) => type.test(asLowerCaseText(link['type']) ?? '')))
    .flatMap(({ href }) => (typeof href === 'string' ? (URL.parse(href) ?? []) : []))
    .filter(
      ({ protocol, href }) =>
        /^https?:$/.test(protocol) && href.toLowerCase() !== registryUrl.toLowerCase(),
    );

  return [...new Set(urls.map(({ href }) => href))].slice(0, 2);
}

/** Media types are case-insensitive and may have parameters (RFC 9110 section 8.3.1). */
const linkTypes = [
  /^application\/rdap\+json\s*(?:;|$)/,
  /^$/,
  /^(?:application|text)\/(?!rdap\+)(?:[\w.-]+\+)?json\s*(?:;|$)/,
];
