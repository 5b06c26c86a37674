import { readThrough, type CacheContext } from './cache/read-through.ts';
import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { JsonObject } from '../domain/registration.ts';
import type { RegistrarRecords } from '../domain/registrar-records.ts';
import {
  createAnswer,
  failedAnswer,
  withProvenance,
  type Answer,
  type LookupQuery,
  type Source,
} from '../domain/source.ts';
import { once } from '../shared/memoize.ts';
import { Problem } from '../domain/problems.ts';
import type { HttpClient, RequestFailure, RegistryResponse } from '../outbound/client.ts';
import { asObject, objectsOf, readJson } from './rdap/json.ts';
import { asLowerCaseText } from './rdap/text.ts';
import { matchesName, serverFailure } from './rdap/classify-response.ts';
import { parseRegistrarRecord } from './rdap/registration.ts';
import type { RequestQueue } from '../outbound/queues/request-queue.ts';
import type { OnParserError } from './rdap/parser-errors.ts';
import { ThrottledSource } from './throttled.ts';

interface RegistrarOptions {
  readonly client: HttpClient;
  readonly queueOf: (url: string) => RequestQueue;
  readonly redirectQueueOf: (url: string) => RequestQueue;
  /**
   * Separate from the registries' cache, because a registrar's answer must never serve as a
   * registry's.
   */
  readonly cache: CacheContext;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly onParserError: OnParserError;
}

const accept = 'application/rdap+json, application/json;q=0.9';

/**
 * Follows a registry's link to the registrar's record (ICANN TIG 3.2). Links in that record are not
 * followed.
 */
export function createRegistrarRecords(options: RegistrarOptions): RegistrarRecords {
  const { cache } = options;
  return {
    async get(query, { registration, endpoint }, request) {
      const url = relatedUrl(registration().raw, `${endpoint ?? ''}domain/${query.name}`);
      if (url === undefined) return null;
      const registrar = new ThrottledSource(registrarSource(url, options), options);
      const lookUp = (registrarQuery: LookupQuery) =>
        readThrough(registrar, cache, registrarQuery, request);
      const firstAnswer = await lookUp(query);
      // The cached or in-flight record may be that of the name's former registrar.
      const isFromFormerRegistrar =
        !firstAnswer.result.problem && firstAnswer.provenance.endpoint !== url;
      const { result } = isFromFormerRegistrar
        ? await lookUp({ ...query, maxAge: 0, notBefore: undefined })
        : firstAnswer;
      if (result.problem) throw result.problem;
      return result.registration?.() ?? null;
    },
  };
}

/**
 * Returns a source for the registrar's record of one name. No retries; a 404 only means that there
 * is no record.
 */
function registrarSource(
  url: string,
  { client, clock, timeoutMs, onParserError }: RegistrarOptions,
): Source {
  return {
    id: url,
    async lookup({ name }, request) {
      request.observer?.onSent(name);
      const response = await client.get(url, { accept }, timeoutMs, {
        beforeRedirect: request.beforeRedirect,
      });
      const answer = answerOf(response, name, (error) => onParserError(url, error));
      return withProvenance(answer, {
        endpoint: url,
        ...(answer.result.verdict !== 'UNKNOWN' && { checkedAt: clock.now() }),
      });
    },
  };
}

function answerOf(
  response: RegistryResponse | RequestFailure,
  name: DomainName,
  onParserError: (error: unknown) => void,
): Answer {
  if ('problem' in response)
    return failedAnswer(
      response.problem,
      response.failure === 'refused' ? {} : { failure: response.failure },
    );
  const { status, retryAfter } = response;
  if (status === 200) return recordOf(asObject(readJson(response.body)), name, onParserError);
  if (status === 404) return createAnswer({ verdict: 'AVAILABLE' });
  const detail = `The registrar returned status ${status}.`;
  if (status === 429 || status === 503) {
    return failedAnswer(
      new Problem('registry_busy', detail, retryAfter === undefined ? {} : { retryAfter }),
      { failure: 'busy' },
    );
  }
  const failure =
    status >= 500
      ? serverFailure({ status, contentLength: response.header('content-length') })
      : undefined;
  return failedAnswer(new Problem('registry_error', detail), failure && { failure });
}

function recordOf(
  object: JsonObject | undefined,
  name: DomainName,
  onParserError: (error: unknown) => void,
): Answer {
  if (object?.['objectClassName'] !== 'domain' || !matchesName(object, name)) {
    return failedAnswer(
      new Problem(
        'untrusted_answer',
        'The registrar sent something other than a record of this name.',
      ),
    );
  }
  return createAnswer({
    verdict: 'REGISTERED',
    registration: once(() => parseRegistrarRecord(object, onParserError)),
  });
}

/**
 * Returns the registrar's URL for the name, unless it is the URL just queried. A link may lack a
 * type (RFC 9083 section 4.2), but one with the type of RDAP is preferred. The client checks that the
 * address is allowed.
 */
function relatedUrl(object: JsonObject | undefined, registryUrl: string): string | undefined {
  const links = objectsOf(object?.['links']).filter(({ rel }) =>
    asLowerCaseText(rel)?.split(' ').includes('related'),
  );
  return [...links.filter(isRdapLink), ...links.filter(({ type }) => !asLowerCaseText(type))]
    .map(({ href }) => (typeof href === 'string' ? URL.parse(href) : null))
    .find(
      (url) =>
        url &&
        /^https?:$/.test(url.protocol) &&
        url.href.toLowerCase() !== registryUrl.toLowerCase(),
    )?.href;
}

/** Media types are case-insensitive and may have parameters (RFC 9110 section 8.3.1). */
function isRdapLink({ type }: JsonObject): boolean {
  return /^application\/rdap\+json\s*(?:;|$)/.test(asLowerCaseText(type) ?? '');
}
