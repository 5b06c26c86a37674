import { readThrough, type CacheContext } from '../cache/read-through.ts';
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
import { once } from '../memoize.ts';
import { Problem } from '../domain/problems.ts';
import type { HttpClient, RequestFailure, RegistryResponse } from './rdap/http/client.ts';
import { asObject, objectsOf, readJson } from './rdap/parser/json.ts';
import { matchesName, serverFailure } from './rdap/classify-response.ts';
import { parseRegistrarRecord } from './rdap/parser/registration.ts';
import type { RequestQueue } from '../throttle/request-queue.ts';
import type { OnParserError } from './rdap/parser-errors.ts';
import { ThrottledSource } from './throttled.ts';

interface RegistrarOptions {
  readonly client: HttpClient;
  readonly queueOf: (url: string) => RequestQueue;
  readonly redirectQueueOf: (url: string) => RequestQueue;
  /** Of its own: what a registrar says is never taken for the registry's word. */
  readonly cache: CacheContext;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly onParserError: OnParserError;
}

const accept = 'application/rdap+json, application/json;q=0.9';

/** Follows the link that a registry gives to its registrar (ICANN TIG 3.2), one step deep: what the registrar links to is not asked. */
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
      // What is kept, or on its way, may be the record of the registrar that the name was with before.
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

/** A registrar as far as one name goes: no second try, and "not found" says only that it has nothing to add. */
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
  const detail = `The registrar answered ${status}.`;
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
        "The registrar sent something that is not this name's record.",
      ),
    );
  }
  return createAnswer({
    verdict: 'REGISTERED',
    registration: once(() => parseRegistrarRecord(object, onParserError)),
  });
}

/** The registrar's URL for the name, but not the one that was just asked. The client knows which addresses may be asked. */
function relatedUrl(object: JsonObject | undefined, registryUrl: string): string | undefined {
  return objectsOf(object?.['links'])
    .filter(({ rel, type }) => rel === 'related' && type === 'application/rdap+json')
    .map(({ href }) => (typeof href === 'string' ? URL.parse(href) : null))
    .find(
      (url) =>
        url &&
        /^https?:$/.test(url.protocol) &&
        url.href.toLowerCase() !== registryUrl.toLowerCase(),
    )?.href;
}
