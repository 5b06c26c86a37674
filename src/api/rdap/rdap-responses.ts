import type { RdapAnswer } from './rdap-lookups.ts';
import { redactKeys } from '../../accounts/api-key.ts';
import { problems, type Problem } from '../../domain/problems.ts';
import {
  problemHeaders,
  problemMembers,
  problemType,
} from '../../server/messages/problem-response.ts';
import { jsonResponse, type HttpResponse } from '../../server/http-request-context.ts';

/** The media type of all responses (RFC 7480 section 4.2). */
export const rdapJson = 'application/rdap+json';

/** Returns the URL of the response at a path, for links. API keys are redacted. */
export function responseUrl(baseUrl: string, path: string): string {
  return baseUrl + redactKeys(path);
}

/** A notice about a response (RFC 9083 section 4.3). */
export interface Notice {
  readonly title: string;
  readonly description: readonly string[];
  readonly links?: readonly Link[];
}

/** A link; `value` is the URL of the response that contains it (RFC 9083 section 4.2). */
interface Link {
  readonly value: string;
  readonly rel: string;
  readonly href: string;
  readonly type: string;
}

/** Returns a link from the response at `value` to a page. */
export function pageLink(value: string, href: string): Link {
  return { value, rel: 'help', href, type: 'text/html' };
}

/**
 * Returns the notice about where an answer came from: the source, when it was checked, and whether
 * it was cached. `url` is that of the response.
 */
export function sourceNotice(answer: RdapAnswer, url: string): Notice {
  const { source, sourceUrl, age } = answer;
  const origin = sourceUrl ?? sourceNames[source ?? ''] ?? 'the gateway';
  const time = age.checkedAt === undefined ? '' : ` at ${new Date(age.checkedAt).toISOString()}`;

  return {
    title: 'Source',
    description: [`Relayed by RDAP Gateway. Answered by ${origin}${time}.`, cacheState(age)],
    ...(sourceUrl !== null && {
      links: [{ value: url, rel: 'via', href: sourceUrl, type: rdapJson }],
    }),
  };
}

/** Sources without a URL, by `source`. */
const sourceNames: Readonly<Record<string, string>> = {
  das: 'the availability service of the registry',
  whois: 'a WHOIS server',
  dns: 'the DNS',
};

function cacheState({ cached, stale }: RdapAnswer['age']): string {
  if (stale) return 'Stale: read from the cache, because the current lookup failed.';
  return cached ? 'Cached: read from the cache.' : 'Not cached: looked up for this request.';
}

/** Every response has this conformance (RFC 9083 section 4.1). */
export const baseConformance = 'rdap_level_0';

/**
 * Returns the registry's object with another notice, and with the base conformance if it has none.
 * All other members stay as they are.
 */
export function relayedObject(object: object, notice: Notice): object {
  const { rdapConformance, notices } = object as Readonly<Record<string, unknown>>;
  return {
    ...object,
    rdapConformance: withBaseConformance(rdapConformance),
    // Some registries send one notice without an array.
    notices: [...[notices ?? []].flat(), notice],
  };
}

function withBaseConformance(value: unknown): readonly unknown[] {
  const conformance = Array.isArray(value) ? value : [];
  return conformance.includes(baseConformance) ? conformance : [baseConformance, ...conformance];
}

interface RdapErrorOptions {
  readonly docsUrl: string;
  /** URL of the response. */
  readonly url: string;
  /** Notices about the answer that the error reports. */
  readonly notices?: readonly Notice[];
  /** Headers in addition to those of the problem. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Renders a problem as an RDAP error (RFC 9083 section 6). A notice contains its code. */
export function rdapErrorResponse(
  problem: Problem,
  { docsUrl, url, notices = [], headers = {} }: RdapErrorOptions,
): HttpResponse {
  const { code, title, detail, errors = [] } = problemMembers(problem);
  // An object that exists, but not in RDAP, must not be "not found" (RFC 7480 section 5.3).
  const status = problem.code === 'no_rdap' ? problems.not_implemented.status : problem.status;
  const codeNotice = {
    title: 'Problem code',
    description: [code],
    links: [pageLink(url, problemType(code, docsUrl))],
  };
  const body = {
    rdapConformance: [baseConformance],
    lang: 'en',
    errorCode: status,
    title,
    description: [detail, ...errors.map((error) => `${error.param}: ${error.detail}`)],
    notices: [...notices, codeNotice],
  };
  const response = jsonResponse(status, body, {
    'cache-control': 'no-store',
    ...problemHeaders(problem),
    ...headers,
    'content-type': rdapJson,
  });

  return { ...response, code };
}
