import type { ExchangeOf, Payload, RecordedExchange } from './payload.ts';
import tables from '../domain/rules.json' with { type: 'json' };

/** Returns the queries and answers, in words and in order. */
export function stepsOf({ exchanges }: Payload) {
  return exchanges.map((exchange) => {
    const { source, role, sent_at: at, ended_at: endedAt } = exchange;
    return {
      source,
      isControl: role === 'control',
      at,
      query: queryIn(exchange),
      answered: endedAt === null ? 'no answer before the lookup ended' : answeredIn(exchange),
      /** Null if the lookup ended before the answer. */
      ms: endedAt === null ? null : Date.parse(endedAt) - Date.parse(at),
    };
  });
}

/** Returns the chain of reasons from the recorded answers to the verdict, in sentences. */
export function reasonsOf(payload: Payload): readonly string[] {
  const { domain, issuer, created_at: createdAt, answers } = payload;
  return [
    `${issuer} looked up ${domain} and signed what it saw at ${createdAt}.`,
    ...stepsOf(payload).map(sentenceOf),
    ...answers.map(({ source, answer }) => `${sourceNames[source]} says: ${answer}.`),
    conclusionOf(payload),
  ];
}

/** Returns the verdict with its rule, as sentences. */
export function conclusionOf({ domain, verdict, rule, certainty, reason }: Payload): string {
  const rules: Readonly<Record<string, object>> = tables.rules;
  const { sentence: meaning = '' } = (rules[rule] ?? {}) as { readonly sentence?: string };
  const code = reason && reason.code !== rule ? ` (${reason.code})` : '';
  const detail = reason ? ` ${reason.detail}${code}` : '';
  const certainly = certainty === verdict ? '' : ` (${certainty})`;
  return `${domain} is ${verdict}${certainly}, by the rule ${rule}: ${`${meaning}${detail}`.trim()}`;
}

export const sourceNames = {
  rdap: 'RDAP',
  das: 'The availability service',
  whois: 'WHOIS',
  dns: 'The DNS',
  resolver: 'The resolver',
  queue: 'The queue',
} as const;

function sentenceOf({
  at,
  query,
  answered,
  isControl,
  ms,
}: ReturnType<typeof stepsOf>[number]): string {
  const control = isControl ? ' as a control' : '';
  return `At ${at}, ${query}${control}: ${answered}${ms === null ? '' : ` after ${ms} ms`}.`;
}

function queryIn(exchange: RecordedExchange): string {
  switch (exchange.source) {
    case 'rdap':
      return `queried ${exchange.url}`;
    case 'das':
    case 'whois':
      return `queried ${exchange.server} for ${exchange.name}`;
    case 'dns':
      return `queried the name server ${addressOf(exchange)} for ${exchange.name}`;
    case 'resolver':
      return `queried the resolver for ${exchange.type} of ${exchange.name}`;
    case 'queue':
      return `waited for a turn at ${exchange.url}`;
  }
}

function answeredIn(exchange: RecordedExchange): string {
  switch (exchange.source) {
    case 'rdap': {
      const { status, body, failure } = exchange;
      return body ? `status ${status}, ${sizeOf(body)}` : `no response (${failure})`;
    }
    case 'das':
    case 'whois':
      return `a reply of ${sizeOf(exchange.reply)}, ${exchange.end}`;
    case 'dns':
      return exchange.response ? 'a response' : `no response (${exchange.failure})`;
    case 'resolver':
      return exchange.answer ? `${exchange.answer.length} records` : `${exchange.failure}`;
    case 'queue':
      return exchange.problem ? `${exchange.problem.detail}` : 'granted';
  }
}

function addressOf({ server, transport }: ExchangeOf<'dns'>): string {
  const { address, port, host } = server;
  return `${host ?? address} (${address}, port ${port}, ${transport.toUpperCase()})`;
}

function sizeOf(content: { size: number; redacted: boolean } | undefined): string {
  const marks = content?.redacted ? ', parts of which are redacted' : '';
  return `${content?.size ?? 0} bytes${marks}`;
}
