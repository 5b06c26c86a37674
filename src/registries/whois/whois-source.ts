import type { DomainName } from '../../domain/domain-name.ts';
import { Problem } from '../../domain/problems.ts';
import type { Source } from '../../domain/source.ts';
import { TcpSource, type ServerAddress, type TcpOptions } from './tcp-source.ts';
import type { ReplyClassification, TextProtocol } from './text-protocol.ts';
import { compileFormat, readReply, type WhoisPatterns } from './classify-whois-reply.ts';
import { replyForm } from './reply-form.ts';
import type { Refusal } from './refusals.ts';
import type { WhoisService } from './whois-services.ts';

const maxReplyBytes = 64 * 1024;
/** After an outage or a reset connection. */
const shortBackoffSeconds = 60;
/** After the first refusal. Each further one doubles it. */
const firstBackoffSeconds = 15 * 60;
const maxBackoffSeconds = 60 * 60;

/**
 * Returns a source that queries a WHOIS server (RFC 3912), at the address that the operator
 * configured, or at the registry's own server. Referrals to other servers are not followed.
 */
export function whoisSource(
  service: WhoisService,
  address: ServerAddress | undefined,
  options: TcpOptions,
): Source {
  const { host, port } = service;
  return new TcpSource(
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
  readonly disconnectBackoffSeconds = shortBackoffSeconds;
  readonly #service: WhoisService;
  readonly #patterns: WhoisPatterns;
  #refusals = 0;

  constructor(service: WhoisService) {
    this.#service = service;
    this.#patterns = compileFormat(service.format);
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
    return statement.verdict === 'AVAILABLE'
      ? { ...statement, replyForm: replyForm(text, name) }
      : statement;
  }

  #refused({ code, text, kind }: Refusal): ReplyClassification {
    if (kind === 'refused') this.#refusals += 1;
    const retryAfter =
      kind === 'refused'
        ? Math.min(firstBackoffSeconds * 2 ** (this.#refusals - 1), maxBackoffSeconds)
        : shortBackoffSeconds;
    const problem = new Problem(code, `The WHOIS server ${this.#service.host} ${text}.`, {
      retryAfter,
    });
    return { problem, failure: 'busy' };
  }

  #unclear(): Problem {
    return new Problem(
      'whois_unclear',
      `The reply of the WHOIS server ${this.#service.host} has none of the forms that state a verdict about this name.`,
    );
  }
}
