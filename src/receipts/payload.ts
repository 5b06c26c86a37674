import * as v from 'valibot';
import { sourceKinds } from '../domain/answer.ts';
import { policyKinds } from '../domain/policy.ts';
import { problems, type ProblemCode } from '../domain/problems.ts';
import { exchangeFailures } from '../registries/dns/transport.ts';
import { replyEnds } from '../registries/whois/tcp-source.ts';

export const receiptFormat = 'rdap-gateway-receipt/1';

/** The pattern of `v.base64` overflows the stack on long texts. */
const base64 = v.pipe(
  v.string(),
  v.check((text) => Buffer.from(text, 'base64').toString('base64') === text),
);

/** Bytes as text where they are text, else in base64. */
const content = v.strictObject({
  /** The type that the source states, or `text/plain`. */
  media_type: v.string(),
  text: v.optional(v.string()),
  base64: v.optional(base64),
  /** How many bytes were received. */
  size: v.number(),
  /** Parts that no rule reads were replaced by a mark. */
  redacted: v.boolean(),
});
export type RecordedContent = v.InferOutput<typeof content>;

const time = v.pipe(v.string(), v.isoTimestamp());
/** `ended_at` is null if the lookup ended before the answer. */
const timed = {
  /** Whose query it is: of the name itself, or of a name that shows whether the source works. */
  role: v.picklist(['lookup', 'control']),
  name: v.string(),
  sent_at: time,
  ended_at: v.nullable(time),
};

/** Why there is no HTTP response. */
export const httpFailures = [
  'timeout',
  'too_large',
  'unreadable',
  'private_address',
  'not_allowed',
  'proxy',
  'closed',
] as const;

const httpExchange = v.strictObject({
  source: v.literal('rdap'),
  ...timed,
  method: v.literal('GET'),
  url: v.pipe(v.string(), v.url()),
  request_headers: v.record(v.string(), v.string()),
  status: v.optional(v.number()),
  headers: v.optional(v.record(v.string(), v.union([v.string(), v.array(v.string())]))),
  body: v.optional(content),
  failure: v.optional(v.picklist(httpFailures)),
  /** The response may belong to another request. */
  mismatched: v.optional(v.literal(true)),
});

const textExchange = v.strictObject({
  source: v.picklist(['das', 'whois']),
  ...timed,
  server: v.string(),
  request: v.string(),
  end: v.optional(v.picklist(replyEnds)),
  reply: v.optional(content),
});

const address = v.object({ address: v.string(), port: v.number(), host: v.optional(v.string()) });
const dnsExchange = v.strictObject({
  source: v.literal('dns'),
  ...timed,
  server: address,
  transport: v.picklist(['udp', 'tcp']),
  /** DNS messages (RFC 1035 section 4), in base64. */
  query: base64,
  response: v.optional(base64),
  failure: v.optional(v.picklist(exchangeFailures)),
});

/** A question to the resolver of the gateway's system: where the servers of a zone are. */
const resolverExchange = v.strictObject({
  source: v.literal('resolver'),
  ...timed,
  type: v.picklist(['NS', 'A', 'AAAA']),
  answer: v.optional(
    v.array(v.union([v.string(), v.object({ address: v.string(), ttl: v.number() })])),
  ),
  /** The code of Node.js, such as ENOTFOUND. */
  failure: v.optional(v.string()),
});

/** A wait for the turn at a host, or why there was none. Turns that came at once are not recorded. */
const queueExchange = v.strictObject({
  source: v.literal('queue'),
  ...timed,
  url: v.string(),
  /** How many turns of the name at the host preceded this one. */
  turn: v.number(),
  problem: v.optional(
    v.strictObject({
      code: v.custom<ProblemCode>((code) => Object.hasOwn(problems, String(code))),
      detail: v.string(),
      retry_after: v.optional(v.number()),
    }),
  ),
});

const exchange = v.variant('source', [
  httpExchange,
  textExchange,
  dnsExchange,
  resolverExchange,
  queueExchange,
]);
export type RecordedExchange = v.InferOutput<typeof exchange>;
export type ExchangeOf<S extends RecordedExchange['source']> = Extract<
  RecordedExchange,
  { readonly source: S }
>;

const names = v.array(v.string());
const hostPort = v.object({ host: v.string(), port: v.number() });
const lines = v.pipe(names, v.minLength(1));

/** What the gateway knew before the lookup: whom it queries, and what the answers are compared with. */
const facts = v.strictObject({
  entry: v.string(),
  rdap: v.optional(
    v.strictObject({ base_urls: lines, trusts_not_found: v.boolean(), listed: v.boolean() }),
  ),
  das: v.optional(
    v.strictObject({
      tld: v.string(),
      like: v.optional(v.string()),
      address: v.optional(hostPort),
      samples: v.optional(names),
    }),
  ),
  whois: v.optional(
    v.strictObject({
      tld: v.string(),
      address: v.optional(hostPort),
      samples: v.optional(names),
      host: v.string(),
      port: v.number(),
      suffixes: v.optional(names),
      format: v.object({
        query: v.optional(v.string()),
        available: v.array(lines),
        registered: v.array(lines),
        states: v.optional(v.array(v.object({ line: v.string(), verdict: v.string() }))),
        refusals: v.optional(names),
      }),
    }),
  ),
  dns: v.optional(
    v.strictObject({ servers: v.optional(v.array(hostPort)), samples: v.optional(names) }),
  ),
  learned: v.array(
    v.strictObject({
      base_url: v.string(),
      canaries: names,
      has_found_suffix: v.boolean(),
      must_find: v.optional(v.literal(true)),
    }),
  ),
  /** The last answer that the gateway had stored. */
  stored: v.optional(
    v.strictObject({
      verdict: v.string(),
      endpoint: v.string(),
      checked_at: v.number(),
      expires_at: v.optional(v.number()),
    }),
  ),
  policy: v.object({
    kind: v.picklist(policyKinds),
    reason: v.optional(v.string()),
    isSold: v.optional(v.boolean()),
    hasBaseAgreement: v.optional(v.boolean()),
    letters: v.optional(
      v.object({
        scripts: names,
        only: v.optional(v.string()),
        source: v.optional(v.string()),
        takesEmoji: v.optional(v.boolean()),
      }),
    ),
  }),
  timeout_ms: v.number(),
  queue_timeout_ms: v.number(),
  max_unverified: v.number(),
});
export type RecordedFacts = v.InferOutput<typeof facts>;

/** What follows from the recorded answers. */
const judgment = v.strictObject({
  verdict: v.string(),
  rule: v.string(),
  certainty: v.picklist(['proved', 'likely', 'unknown']),
  /** Why there is no verdict, or why an unregistered name is reserved. */
  reason: v.nullable(v.strictObject({ code: v.string(), detail: v.string() })),
  /** What each source said, in the order of the answers. */
  answers: v.array(v.strictObject({ source: v.picklist(sourceKinds), answer: v.string() })),
});
export type Judgment = v.InferOutput<typeof judgment>;

const payload = v.strictObject({
  format: v.literal(receiptFormat),
  id: v.string(),
  /** The address of the gateway. */
  issuer: v.string(),
  software: v.string(),
  domain: v.string(),
  created_at: time,
  ...judgment.entries,
  facts,
  /** The names of controls and the order of servers are made from it. */
  seed: v.string(),
  started_at: time,
  exchanges: v.array(exchange),
});
/** The signed content of a receipt. */
export type Payload = v.InferOutput<typeof payload>;

/** Returns the payload if it has the format; undefined if it does not. */
export function readPayload(json: unknown): Payload | undefined {
  const { success, output } = v.safeParse(payload, json, { abortEarly: true });
  return success ? output : undefined;
}
