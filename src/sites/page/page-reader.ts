import { Problem } from '../../domain/problems.ts';
import type { FetchState, PageVisit, Redirect, VisitProblem } from './page-visit.ts';
import { allowsUrl, type RobotsFile } from '../robots/robots-file.ts';
import type { ReadFact, SiteAnswer, SiteRequest } from '../site-facts.ts';
import { mediaTypeOf } from '../response-headers.ts';
import { withPlainHttp } from '../site-problems.ts';
import type { SiteClient, SiteResponse } from '../site-client.ts';

interface PageReaderOptions {
  readonly client: SiteClient;
  /** Reads the robots.txt of the origin of a URL, possibly from a cache. */
  readonly robotsOf: (url: URL, request: SiteRequest) => Promise<SiteAnswer<RobotsFile>>;
}

const blockingStatuses = new Set([401, 403, 429, 451]);
const headers = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.1' };

/**
 * Creates the reader of pages, which checks the robots.txt of the origin before each request. It
 * resolves to a visit whatever the site does; the visit of a page that could not be read has a
 * problem.
 */
export function pageReader({ client, robotsOf }: PageReaderOptions): ReadFact<PageVisit> {
  return async ({ target }, request) => {
    const beforeRequest = async (url: URL) => checkRobots(url, await robotsOf(url, request));
    const attempts: Redirect[][] = [];
    try {
      return await withPlainHttp(target, async (url) => {
        const redirects: Redirect[] = [];
        attempts.push(redirects);
        const onRedirect = (redirect: Redirect) => void redirects.push(redirect);
        const options = { headers, beforeRequest, onRedirect };
        return toVisit(url, await client.get(url, request, options));
      });
    } catch (error) {
      // The problem is that of the first attempt, also if plain HTTP was tried after it.
      if (error instanceof Problem) return failedVisit(target.url, error, attempts[0] ?? []);
      throw error;
    }
  };
}

/** Throws a problem if robots.txt forbids a URL, or cannot be read (RFC 9309 section 2.3.1.4). */
function checkRobots(url: URL, answer: SiteAnswer<RobotsFile>): void {
  if ('problem' in answer) throw answer.problem;
  if (allowsUrl(answer.data, url)) return;
  throw answer.data.access === 'rules'
    ? new Problem('site_blocked', `robots.txt of ${url.host} disallows this page.`)
    : new Problem(
        'site_unreachable',
        `robots.txt of ${url.host} could not be read, so the page was not requested.`,
      );
}

async function toVisit(requested: URL, response: SiteResponse): Promise<PageVisit> {
  const contentType = mediaTypeOf(response.headers).slice(0, 200) || null;
  const fetchState = fetchStateOf(response, contentType);

  return {
    requestedUrl: requested.href,
    finalUrl: response.url.href,
    status: response.status,
    fetchState,
    problem: problemOf(fetchState, response),
    contentType,
    redirects: response.redirects,
    headers: response.headers,
    cookieNames: response.cookieNames,
    document: fetchState === 'ok' ? await documentOf(response) : null,
  };
}

/** Returns the problem of a blocked page or an error status; null for all others. */
function problemOf(fetchState: FetchState, { url, status }: SiteResponse): VisitProblem | null {
  if (fetchState !== 'blocked' && fetchState !== 'http_error') return null;
  const code = fetchState === 'blocked' ? 'site_blocked' : 'site_unreachable';
  return { code, detail: `${url.host} responded with status ${status}.` };
}

/** The parser is loaded with the first page: few operations read one. */
async function documentOf({ url, headers: received, body, isTruncated }: SiteResponse) {
  const { decodeHtml } = await import('./html-tokens.ts');
  const { parsePage } = await import('./parse-page.ts');
  const html = decodeHtml(body, received['content-type']);
  return parsePage(html, { url, contentLanguage: received['content-language'], isTruncated });
}

function fetchStateOf({ status, body }: SiteResponse, contentType: string | null): FetchState {
  if (blockingStatuses.has(status)) return 'blocked';
  if (status >= 400) return 'http_error';
  if (body.every((byte) => byte <= 0x20)) return 'empty';
  if (contentType === 'text/html' || contentType === 'application/xhtml+xml') return 'ok';

  // Without a type, HTML is recognized by its first tag.
  const isHtml = contentType === null && body.find((byte) => byte > 0x20) === 0x3c;
  return isHtml ? 'ok' : 'non_html';
}

function failedVisit(
  requested: URL,
  { code, message }: Problem,
  redirects: readonly Redirect[],
): PageVisit {
  const isBlocked = code === 'site_blocked';
  const problemCode = isBlocked || code === 'site_timeout' ? code : 'site_unreachable';

  return {
    requestedUrl: requested.href,
    finalUrl: null,
    status: null,
    fetchState: isBlocked ? 'blocked' : 'http_error',
    problem: { code: problemCode, detail: message },
    contentType: null,
    redirects,
    headers: {},
    cookieNames: [],
    document: null,
  };
}
