import { Problem } from '../../domain/problems.ts';
import { derivedRequest, type SiteRequest } from '../site-facts.ts';
import { mediaTypeOf } from '../response-headers.ts';
import { registrableDomain } from '../site-target.ts';
import type { SiteClient, SiteResponse } from '../site-client.ts';
import { maxProbes, type Probe, type ProbeContent } from './probes.ts';
import { statusWithoutEvidence, unchecked, type SignalState } from './agent-signals.ts';

interface ProberOptions {
  readonly client: SiteClient;
  readonly isAllowed: (url: URL, request: SiteRequest) => Promise<boolean>;
  readonly request: SiteRequest;
  readonly origin: URL;
}

/** After this many failed requests without an answered one, a site is sent no more. */
const maxFailures = 5;

/** Sends the requests to the paths of one site. */
export class Prober {
  readonly #options: ProberOptions;
  readonly #budget: ProbeBudget;
  readonly #texts = new Map<string, string>();
  readonly #giveUp = new AbortController();
  readonly #request: SiteRequest;
  #count = 0;
  #failures = 0;
  #isAnswered = false;

  constructor(options: ProberOptions) {
    this.#options = options;
    this.#request = derivedRequest(options.request, {
      signal: AbortSignal.any([options.request.signal, this.#giveUp.signal]),
    });
    this.#budget = new ProbeBudget(options.origin);
  }

  /** The number of requests that were sent, without redirects. */
  get count(): number {
    return this.#count;
  }

  /** The texts that detected a signal, by the URL that they were read from. */
  get texts(): ReadonlyMap<string, string> {
    return this.#texts;
  }

  /** Returns what a path shows. Never rejects. */
  async send(probe: Probe): Promise<SignalState> {
    const url = new URL(probe.path, this.#options.origin);
    const state = await this.#read(url, probe);
    this.#isAnswered ||= state.status === 'detected' || state.status === 'not_detected';
    if (state.status === 'unknown') this.#failures += 1;
    if (!this.#isAnswered && this.#failures >= maxFailures) this.#giveUp.abort();
    return state;
  }

  async #read(url: URL, probe: Probe): Promise<SignalState> {
    if (this.#request.signal.aborted || !(await this.#isAllowed(url))) return unchecked;
    try {
      this.#budget.take(url);
      return this.#stateOf(url, await this.#get(url, probe), probe);
    } catch (error) {
      if (this.#giveUp.signal.aborted) return unchecked;
      const status = isBlocked(error) ? 'unchecked' : 'unknown';
      return { ...unchecked, status, checkedUrl: url.href };
    }
  }

  #get(url: URL, { accept }: Probe): Promise<SiteResponse> {
    const onSent = () => {
      this.#request.onSent?.();
      this.#count += 1;
    };
    return this.#options.client.get(url, derivedRequest(this.#request, { onSent }), {
      headers: { accept },
      maxRedirects: 1,
      beforeRequest: async (next) => {
        // The first URL was checked before the request was counted.
        if (next.href === url.href) return;
        this.#budget.take(next);
        if (!(await this.#isAllowed(next)))
          throw new Problem('site_blocked', `robots.txt of ${next.host} disallows a redirect.`);
      },
    });
  }

  #stateOf(requested: URL, response: SiteResponse, { detect }: Probe): SignalState {
    const { url, status } = response;
    const content = contentOf(requested, response);
    const evidence = content && detect(content);
    if (content && evidence !== undefined) this.#texts.set(url.href, content.text);

    return {
      status: evidence === undefined ? statusWithoutEvidence(status) : 'detected',
      checkedUrl: url.href,
      httpStatus: status,
      evidence: evidence === undefined ? [] : [evidence],
    };
  }

  async #isAllowed(url: URL): Promise<boolean> {
    try {
      return await this.#options.isAllowed(url, this.#request);
    } catch {
      return false; // RFC 9309 section 2.3.1.4: without a readable robots.txt, nothing is allowed.
    }
  }
}

/** Returns the media type and text of a response; undefined unless it is the requested resource. */
function contentOf(
  requested: URL,
  { url, status, headers, body }: SiteResponse,
): ProbeContent | undefined {
  const isSuccess = status >= 200 && status < 300;
  if (!isSuccess || !isSameResource(requested, url)) return undefined;
  return { url: requested, mediaType: mediaTypeOf(headers), text: new TextDecoder().decode(body) };
}

/**
 * Returns whether a redirect led to the same path of the same site. Many servers redirect unknown
 * paths to their home page. The home page itself may be at another path.
 */
function isSameResource(requested: URL, final: URL): boolean {
  if (registrableDomain(final.hostname) !== registrableDomain(requested.hostname)) return false;
  return requested.pathname === '/' || pathOf(requested) === pathOf(final);
}

function pathOf({ pathname }: URL): string {
  return pathname.replace(/\/$/, '');
}

function isBlocked(error: unknown): boolean {
  return error instanceof Problem && error.code === 'site_blocked';
}

/** A robots.txt takes one request, and one for each of five redirects (RFC 9309 section 2.3.1.2). */
const maxRobotsRequests = 6;

/** All probes with a redirect each, and one robots.txt of another origin. */
const maxRequests = 2 * maxProbes + maxRobotsRequests;

/** Limits the requests of one read of signals: without it, redirects would multiply them. */
class ProbeBudget {
  readonly #domain: string;
  readonly #origins: Set<string>;
  #left = maxRequests;

  constructor({ origin, hostname }: URL) {
    this.#domain = registrableDomain(hostname);
    this.#origins = new Set([origin]);
  }

  /** Counts a request, and that of a robots.txt at the first request to another origin. */
  take({ origin, hostname }: URL): void {
    if (registrableDomain(hostname) !== this.#domain)
      throw new Problem('site_blocked', `The redirect to ${hostname} leaves ${this.#domain}.`);

    const count = this.#origins.has(origin) ? 1 : 1 + maxRobotsRequests;
    if (this.#left < count)
      throw new Problem('site_blocked', `The limit of ${maxRequests} requests was reached.`);

    this.#left -= count;
    this.#origins.add(origin);
  }
}
