import { getDomain } from 'tldts';
import type { SplitName } from '../../domain/names/domain-name.ts';
import type { JsonObject } from '../../domain/registration.ts';
import { answerOf, type Answer, type NameData } from '../../domain/answer.ts';
import type { Source } from '../../domain/source.ts';
import { once } from '../../shared/memoize.ts';
import type { RegistryResponse } from '../../outbound/client.ts';
import {
  classifyResponse,
  maxAvailableResponseAgeSeconds,
  toRdapResponse,
} from './classify-response.ts';
import { decodeJson } from './json.ts';
import { readExpiry, readRegistration } from './registration.ts';
import { exchangeRdap, type CompletedExchange, type RdapOptions } from './rdap-exchange.ts';
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
 * Returns a source that queries a registry over RDAP (RFC 9082 section 3.1.3): one exchange per
 * lookup, without a queue, retries or a cache.
 */
export function rdapSource(server: RdapServer, options: RdapOptions): Source {
  const { baseUrl } = server;
  const { onParserError, onUnrecognized } = options;
  const rejections = new RejectionStreak();

  function read(
    response: RegistryResponse,
    name: SplitName,
    { sentAt, answeredAt, attempts }: CompletedExchange,
  ): Answer {
    const isOwnHost = isSameOperator(response.url, baseUrl) && isLookupOf(response.url, name.ascii);
    const { verdict, object, problem, failure, notFoundEvidence, text, isInAccessPeriod } =
      classifyResponse(
        toRdapResponse(response, baseUrl, isOwnHost, server.trustsNotFound(name), {
          key: name.ascii,
          rejections,
        }),
        name.ascii,
      );
    if (text !== undefined) onUnrecognized?.(new URL(baseUrl).host);

    const fromOtherHost = !isOwnHost || response.ageSeconds > maxAvailableResponseAgeSeconds;
    if (object && !fromOtherHost) server.recordFound(name);
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
      ...(fromOtherHost && { fromOtherHost }),
    });
  }

  return {
    id: baseUrl,
    lookup({ name, language }, request) {
      const lookup = {
        baseUrl,
        path: `domain/${name.ascii}`,
        language,
        read: (response: RegistryResponse, exchange: CompletedExchange) =>
          read(response, name, exchange),
        onMismatch: () => server.recordMismatch(name),
      };
      return exchangeRdap(lookup, request, options);
    },
  };
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
