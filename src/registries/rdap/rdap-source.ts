import { getDomain } from 'tldts';
import type { SplitName } from '../../domain/domain-name.ts';
import type { JsonObject } from '../../domain/registration.ts';
import { answerOf, type Answer, type NameData } from '../../domain/answer.ts';
import type { AttemptRequest, NameQuery, Source } from '../../domain/source.ts';
import { once } from '../../shared/memoize.ts';
import type { RegistryResponse } from '../../outbound/client.ts';
import {
  classifyResponse,
  maxAvailableResponseAgeSeconds,
  toRdapResponse,
} from './classify-response.ts';
import { decodeJson } from './json.ts';
import { readExpiry, readRegistration } from './registration.ts';
import {
  exchangeRdap,
  type OnParserError,
  type CompletedExchange,
  type RdapOptions,
} from './rdap-exchange.ts';
import { RejectionStreak } from './rejection-streak.ts';

interface RdapServer {
  /** Ends with a slash (RFC 9224 section 3). */
  readonly baseUrl: string;
  /** Returns whether this server's 404 proves that the name is not registered. */
  trustsNotFound(name: SplitName): boolean;
  /** Called with every name that the server finds. */
  recordFound(name: SplitName): void;
  /**
   * Called if the response for a name may belong to another request, possibly after it was
   * returned.
   */
  recordMismatch(name: SplitName): void;
}

/**
 * The policy for servers whose "not found" is proof under all suffixes, or is verified otherwise.
 */
export const trustsEvery404 = {
  trustsNotFound: () => true,
  recordFound: () => {},
  recordMismatch: () => {},
};

/**
 * Queries a registry over RDAP (RFC 9082 section 3.1.3): one exchange per lookup, without a queue,
 * retries or a cache.
 */
export class RdapSource implements Source {
  readonly id: string;
  readonly #server: RdapServer;
  readonly #options: RdapOptions;
  readonly #rejections = new RejectionStreak();

  constructor(server: RdapServer, options: RdapOptions) {
    this.id = server.baseUrl;
    this.#server = server;
    this.#options = options;
  }

  lookup({ name, language }: NameQuery, request: AttemptRequest): Promise<Answer> {
    const lookup = {
      baseUrl: this.id,
      path: `domain/${name.ascii}`,
      language,
      read: (response: RegistryResponse, exchange: CompletedExchange) =>
        this.#read(response, name, exchange),
      onMismatch: () => this.#server.recordMismatch(name),
    };
    return exchangeRdap(lookup, request, this.#options);
  }

  #read(response: RegistryResponse, name: SplitName, exchange: CompletedExchange): Answer {
    const { onParserError, onUnrecognized } = this.#options;
    const answer = readAnswer(
      response,
      name,
      exchange,
      { ...this.#server, rejections: this.#rejections },
      onParserError,
    );
    if (answer.provenance.evidence?.text !== undefined) onUnrecognized?.(new URL(this.id).host);
    if (answer.data?.registration && !answer.provenance.fromOtherHost)
      this.#server.recordFound(name);

    return answer;
  }
}

function readAnswer(
  response: RegistryResponse,
  name: SplitName,
  exchange: CompletedExchange,
  { rejections, ...server }: RdapServer & { readonly rejections: RejectionStreak },
  onParserError: OnParserError,
): Answer {
  const { baseUrl } = server;
  const { sentAt, answeredAt, attempts } = exchange;
  const isOwnHost = isSameOperator(response.url, baseUrl) && isLookupOf(response.url, name.ascii);
  const { verdict, object, problem, failure, notFoundEvidence, text, isInAccessPeriod } =
    classifyResponse(
      toRdapResponse(response, baseUrl, isOwnHost, server.trustsNotFound(name), {
        key: name.ascii,
        rejections,
      }),
      name.ascii,
    );
  const data = verdict && {
    verdict,
    ...(object && {
      ...recordOf(response.body, (error) => onParserError(baseUrl, error)),
      ...expiryOf(object),
    }),
  };

  return answerOf(data, problem, {
    endpoint: baseUrl,
    sentAt,
    attempts,
    evidence: {
      httpStatus: response.status,
      mediaType: response.mediaType,
      unproven: false,
      ...(text !== undefined && { text }),
      ...(isInAccessPeriod && { isInAccessPeriod }),
    },
    ...(verdict && { checkedAt: answeredAt }),
    ...(failure && { failure }),
    ...(notFoundEvidence && { notFoundEvidence }),
    ...((!isOwnHost || response.ageSeconds > maxAvailableResponseAgeSeconds) && {
      fromOtherHost: true,
    }),
  });
}

/**
 * Returns the record in a body that was read as an object. Only the bytes are held until somebody
 * reads the record: they take a fraction of the memory of the object.
 */
function recordOf(body: Uint8Array, onParserError: (error: unknown) => void) {
  const objectText = () => decodeJson(body) ?? '';
  return {
    registration: once(() => readRegistration(objectText(), onParserError)),
    objectText,
    characters: body.length,
  } satisfies Partial<NameData>;
}

function expiryOf(object: JsonObject): Pick<NameData, 'expiresAt'> {
  const expiry = readExpiry(object);
  return expiry === undefined ? {} : { expiresAt: Date.parse(expiry) };
}

/**
 * Returns whether a response URL is a lookup of the name (RFC 9082 section 3.1.3), and not, for
 * example, a login page after a redirect.
 */
function isLookupOf({ pathname, search }: URL, name: string): boolean {
  return search === '' && pathname.toLowerCase().endsWith(`/domain/${name}`);
}

/**
 * Returns whether a URL is at the server's origin, or under the same registrable domain. IP
 * addresses have none.
 */
export function isSameOperator(url: URL, baseUrl: string): boolean {
  if (url.href.startsWith(baseUrl)) return true;
  const base = new URL(baseUrl);
  const domain = getDomain(url.hostname);
  return url.origin === base.origin || (domain !== null && domain === getDomain(base.hostname));
}
