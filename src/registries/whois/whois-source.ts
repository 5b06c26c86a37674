import type { DomainName } from '../../domain/names/domain-name.ts';
import type { HostPort } from '../../domain/names/ip-address.ts';
import { Problem } from '../../domain/problems.ts';
import type { Source } from '../../domain/source.ts';
import {
  tcpSource,
  type TcpOptions,
  type ReplyClassification,
  type TextProtocol,
} from './tcp-source.ts';
import {
  compileFormat,
  isReadLine,
  readReply,
  type WhoisPatterns,
  type Refusal,
} from './classify-whois-reply.ts';
import { RecordReader } from './read-record.ts';
import { escapeRegExp, type WhoisService } from './whois-format.ts';
import { createHash } from 'node:crypto';
import { domainToUnicode } from 'node:url';

const maxReplyBytes = 64 * 1024;
/** How long a server is left alone after an outage. */
const shortBackoffSeconds = 60;
/** The same after the first refusal. Each further one doubles it. */
const firstBackoffSeconds = 15 * 60;
const maxBackoffSeconds = 60 * 60;

/**
 * Returns a source that queries a WHOIS server (RFC 3912), at the address that the operator
 * configured, or at the registry's own server. Referrals to other servers are not followed.
 */
export function whoisSource(
  service: WhoisService,
  address: HostPort | undefined,
  options: TcpOptions,
): Source {
  const { host, port } = service;
  return tcpSource(
    new WhoisProtocol(service),
    { own: { host, port }, configured: address },
    options,
  );
}

/** The queries and replies of one WHOIS server. */
class WhoisProtocol implements TextProtocol {
  readonly kind = 'whois';
  readonly unclearCode = 'whois_unclear';
  readonly maxReplyBytes = maxReplyBytes;
  readonly #service: WhoisService;
  readonly #patterns: WhoisPatterns;
  readonly #records: RecordReader | undefined;
  #refusals = 0;

  constructor(service: WhoisService) {
    this.#service = service;
    const { record } = service.format;
    this.#patterns = compileFormat(service.format);
    this.#records = record && new RecordReader(record);
  }

  queryOf(name: DomainName): string {
    const { query = '{name}' } = this.#service.format;
    return `${query.replace('{name}', name)}\r\n`;
  }

  classify(name: DomainName, text: string): ReplyClassification {
    const statement = readReply(this.#patterns, name, text);
    if (statement && 'refusal' in statement)
      return { ...this.#refused(statement.refusal), pattern: statement.pattern };

    this.#refusals = 0;
    if (!statement) return { problem: this.#unclear() };
    if (statement.verdict === 'AVAILABLE')
      return { ...statement, replyForm: replyForm(text, name) };

    return this.#records && !statement.mayBeRegistered
      ? { ...statement, registration: this.#records.read(name, text) }
      : statement;
  }

  linesRead(name: DomainName, text: string): (line: string) => boolean {
    const statement = readReply(this.#patterns, name, text);
    // Every line of such a reply is compared with the same line of a control.
    const isWhole = statement && 'verdict' in statement && statement.verdict === 'AVAILABLE';
    return isWhole ? () => true : (line) => isReadLine(this.#patterns, line);
  }

  #refused({ code, text, kind }: Refusal): ReplyClassification {
    const server = `The WHOIS server ${this.#service.host}`;
    if (kind === 'rejected') return { problem: new Problem(code, `${server} ${text}.`) };

    if (kind === 'refused') this.#refusals += 1;
    const retryAfter =
      kind === 'refused'
        ? Math.min(firstBackoffSeconds * 2 ** (this.#refusals - 1), maxBackoffSeconds)
        : shortBackoffSeconds;
    const problem = new Problem(code, `${server} ${text}.`, { retryAfter });

    return { problem, failure: 'busy' };
  }

  #unclear(): Problem {
    return new Problem(
      'whois_unclear',
      `The reply of the WHOIS server ${this.#service.host} has none of the forms that state a verdict about this name.`,
    );
  }
}

/**
 * Returns an identifier of a reply that is the same for all names about which the server says the
 * same: it covers every line, without blank lines, letter case and spaces. The name, and what differs
 * between two replies at different times or to different clients (times, numbers, IP addresses), are
 * replaced.
 */
export function replyForm(text: string, name: DomainName): string {
  const lines = withoutNumbers(withoutName(text.toLowerCase(), name))
    .split(/[\r\n]+/)
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '');
  return createHash('sha256').update(lines.join('\n')).digest('base64url').slice(0, 16);
}

function withoutName(text: string, name: DomainName): string {
  const spellings = [name, domainToUnicode(name)].map(escapeRegExp).join('|');
  // Not within a longer name.
  const pattern = new RegExp(
    String.raw`(?<![\p{L}\p{N}.-])(?:${spellings})(?![\p{L}\p{N}-]|\.[\p{L}\p{N}])`,
    'gu',
  );

  return text.replaceAll(pattern, '{name}');
}

const days = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ');
const months =
  'january february march april may june july august september october november december'.split(
    ' ',
  );
const shortened = [...days, ...months].map((word) => word.slice(0, 3));
/** Names of days and months, and halves of the day, in texts such as `Sun Jul 12 2026, 10:00 AM`. */
const timeWords = new RegExp(
  String.raw`\b(?:${[...days, ...months, ...shortened, 'am', 'pm'].join('|')})\b`,
  'g',
);
/** IPv6 addresses, and times of day. */
const withColons = /(?<![0-9a-f:])[0-9a-f]*(?::[0-9a-f]*){2,}/g;
/** Numbers, dates, times and IPv4 addresses. */
const numbers = /\d+(?:(?:[-./:+, ]|t(?=\d))+\d+)*z?/g;

function withoutNumbers(text: string): string {
  return text.replaceAll(timeWords, '0').replaceAll(withColons, '0').replaceAll(numbers, '0');
}
