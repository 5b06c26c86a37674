import { readThrough, type Memory } from '../cache/read-through.ts';
import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { JsonObject } from '../domain/registration.ts';
import type { RegistrarRecords } from '../domain/registrar-records.ts';
import {
  answered,
  unanswered,
  withProvenance,
  type Answer,
  type LookupQuery,
  type Source,
} from '../domain/source.ts';
import { once } from '../once.ts';
import { Problem } from '../domain/problems.ts';
import type { Client, Failure, Reply } from './rdap/http/client.ts';
import { asObject, objectsOf, readJson } from './rdap/parser/json.ts';
import { isAbout, serverFailure } from './rdap/classify-response.ts';
import { parseRegistrarRecord } from './rdap/parser/registration.ts';
import type { RequestQueue } from '../throttle/request-queue.ts';
import type { OnParserError } from './rdap/parser-errors.ts';
import { ThrottledSource } from './throttled.ts';

interface RegistrarOptions {
  readonly client: Client;
  readonly queueOf: (url: string) => RequestQueue;
  readonly redirectQueueOf: (url: string) => RequestQueue;
  /** Of its own: what a registrar says is never taken for the registry's word. */
  readonly memory: Memory;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly onParserError: OnParserError;
}

const accept = 'application/rdap+json, application/json;q=0.9';

/** Follows the link that a registry gives to its registrar (ICANN TIG 3.2), one step deep: what the registrar links to is not asked. */
export function registrarRecords(options: RegistrarOptions): RegistrarRecords {
  const { memory } = options;
  return {
    async get(query, { registration, endpoint }, request) {
      const url = relatedUrl(registration().raw, `${endpoint ?? ''}domain/${query.name}`);
      if (url === undefined) return null;
      const registrar = new ThrottledSource(registrarServer(url, options), options);
      const lookUp = (wanted: LookupQuery) => readThrough(registrar, memory, wanted, request);
      const known = await lookUp(query);
      // What is kept, or on its way, may be the record of the registrar that the name was with before.
      const isFormer = !known.result.problem && known.provenance.endpoint !== url;
      const { result } = isFormer
        ? await lookUp({ ...query, maxAge: 0, goodSince: undefined })
        : known;
      if (result.problem) throw result.problem;
      return result.registration?.() ?? null;
    },
  };
}

/** A registrar as far as one name goes: no second try, and "not found" says only that it has nothing to add. */
function registrarServer(
  url: string,
  { client, clock, timeoutMs, onParserError }: RegistrarOptions,
): Source {
  return {
    id: url,
    async lookup({ name }, request) {
      request.observer?.onSent(name);
      const reply = await client.get(url, { accept }, timeoutMs, {
        beforeRedirect: request.beforeRedirect,
      });
      const answer = answerOf(reply, name, (error) => onParserError(url, error));
      return withProvenance(answer, {
        endpoint: url,
        ...(answer.result.verdict !== 'UNKNOWN' && { checkedAt: clock.now() }),
      });
    },
  };
}

function answerOf(
  reply: Reply | Failure,
  name: DomainName,
  onParserError: (error: unknown) => void,
): Answer {
  if ('problem' in reply)
    return unanswered(reply.problem, reply.failure === 'refused' ? {} : { failure: reply.failure });
  const { status, retryAfter } = reply;
  if (status === 200) return recordOf(asObject(readJson(reply.body)), name, onParserError);
  if (status === 404) return answered({ verdict: 'AVAILABLE' });
  const detail = `The registrar answered ${status}.`;
  if (status === 429 || status === 503) {
    return unanswered(
      new Problem('registry_busy', detail, retryAfter === undefined ? {} : { retryAfter }),
      { failure: 'busy' },
    );
  }
  const failure =
    status >= 500
      ? serverFailure({ status, contentLength: reply.header('content-length') })
      : undefined;
  return unanswered(new Problem('registry_error', detail), failure && { failure });
}

function recordOf(
  object: JsonObject | undefined,
  name: DomainName,
  onParserError: (error: unknown) => void,
): Answer {
  if (object?.['objectClassName'] !== 'domain' || !isAbout(object, name)) {
    return unanswered(
      new Problem(
        'untrusted_answer',
        "The registrar sent something that is not this name's record.",
      ),
    );
  }
  return answered({
    verdict: 'REGISTERED',
    registration: once(() => parseRegistrarRecord(object, onParserError)),
  });
}

/** The registrar's URL for the name, but not the one that was just asked. The client knows which addresses may be asked. */
function relatedUrl(object: JsonObject | undefined, asked: string): string | undefined {
  return objectsOf(object?.['links'])
    .filter(({ rel, type }) => rel === 'related' && type === 'application/rdap+json')
    .map(({ href }) => (typeof href === 'string' ? URL.parse(href) : null))
    .find(
      (url) =>
        url && /^https?:$/.test(url.protocol) && url.href.toLowerCase() !== asked.toLowerCase(),
    )?.href;
}
