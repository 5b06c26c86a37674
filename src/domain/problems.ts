/** Every problem that a client can receive: HTTP status, title, and whether a retry may succeed. */
export const problems = {
  missing_parameter: { status: 400, title: 'Missing parameter', retryable: false },
  invalid_parameter: { status: 400, title: 'Invalid parameter', retryable: false },
  invalid_name: {
    status: 400,
    title: 'Not a registrable domain name',
    retryable: false,
  },
  invalid_max_age: { status: 400, title: 'Invalid maximum age', retryable: false },
  invalid_naming: { status: 400, title: 'Invalid key naming', retryable: false },
  invalid_body: { status: 400, title: 'Invalid request body', retryable: false },
  too_many_tlds: { status: 400, title: 'Too many TLDs in one call', retryable: false },
  too_many_lookups: { status: 400, title: 'Too many names in one call', retryable: false },
  invalid_query: { status: 400, title: 'Invalid GraphQL request', retryable: false },
  persisted_query_not_found: {
    status: 400,
    title: 'Persisted query not found',
    retryable: false,
  },
  malformed_request: { status: 400, title: 'Malformed HTTP request', retryable: false },
  query_too_large: { status: 400, title: 'GraphQL document too large', retryable: false },
  unsupported_tld: {
    status: 400,
    title: 'Not a TLD, or its sources are disabled',
    retryable: false,
  },
  special_use: {
    status: 400,
    title: 'Reserved for special use, so no registry has it',
    retryable: false,
  },
  no_registry: { status: 400, title: 'No registry is known for this object', retryable: false },
  no_rdap: { status: 200, title: 'Verdict without a record', retryable: false },
  missing_api_key: { status: 401, title: 'API key required', retryable: false },
  invalid_api_key: { status: 401, title: 'Invalid API key', retryable: false },
  insufficient_credits: {
    status: 402,
    title: 'Insufficient credits',
    retryable: false,
  },
  forbidden_operation: {
    status: 403,
    title: 'This API key may not be used for this operation',
    retryable: false,
  },
  forbidden_origin: {
    status: 403,
    title: 'Not allowed from this origin',
    retryable: false,
  },
  not_found: { status: 404, title: 'Not found', retryable: false },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    retryable: false,
  },
  not_acceptable: {
    status: 406,
    title: 'None of the accepted media types is supported',
    retryable: false,
  },
  request_timeout: { status: 408, title: 'The request was not received in time', retryable: true },
  idempotency_conflict: {
    status: 409,
    title: 'Idempotency-Key reused with a different body',
    retryable: false,
  },
  payload_too_large: { status: 413, title: 'Request body too large', retryable: false },
  unsupported_media_type: {
    status: 415,
    title: 'The request body is not application/json',
    retryable: false,
  },
  headers_too_large: { status: 431, title: 'Request headers too large', retryable: false },
  rate_limited: { status: 429, title: 'Too many requests', retryable: true },
  internal: { status: 500, title: 'Internal error', retryable: true },
  not_implemented: { status: 501, title: 'Not implemented', retryable: false },
  registry_error: { status: 502, title: 'The registry failed', retryable: true },
  untrusted_answer: {
    status: 502,
    title: 'Inconclusive registry response',
    retryable: true,
  },
  whois_unclear: {
    status: 502,
    title: 'Unclear WHOIS reply',
    retryable: true,
  },
  contradicted: {
    status: 502,
    title: 'The registry and the DNS contradict each other',
    retryable: true,
  },
  not_delegated: {
    status: 502,
    title: 'Not delegated, which does not prove that the name is available',
    retryable: false,
  },
  registry_busy: {
    status: 503,
    title: 'Registry rate limit reached',
    retryable: true,
  },
  site_unreachable: { status: 502, title: 'The site could not be reached', retryable: true },
  site_blocked: { status: 502, title: 'Access to the site is not allowed', retryable: false },
  site_timeout: { status: 504, title: 'The site did not respond in time', retryable: true },
  ct_unavailable: {
    status: 503,
    title: 'The certificate search is unavailable',
    retryable: true,
  },
  overloaded: { status: 503, title: 'The gateway is overloaded', retryable: true },
  unavailable: {
    status: 503,
    title: 'Credit accounting is temporarily unavailable',
    retryable: true,
  },
  registry_timeout: { status: 504, title: 'The registry did not respond in time', retryable: true },
} as const satisfies Record<string, { status: number; title: string; retryable: boolean }>;

/** The problems of a name that was looked up, but has no verdict. */
export const lookupProblemCodes = [
  'registry_error',
  'untrusted_answer',
  'whois_unclear',
  'contradicted',
  'not_delegated',
  'registry_busy',
  'registry_timeout',
] as const satisfies readonly (keyof typeof problems)[];

export type ProblemCode = keyof typeof problems;

interface ProblemOptions {
  /** Logged, never sent to the client. */
  readonly cause?: unknown;
  /** The invalid parameter. */
  readonly param?: string;
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number;
  /** The cause lasts, although that of other problems with this code may pass. */
  readonly isPermanent?: boolean;
  /** All field errors, if there are several. */
  readonly errors?: readonly FieldError[];
  /** The methods that the path supports (`Allow`). */
  readonly allow?: string;
  /** The lookup that failed at its registry. */
  readonly lookup?: FailedLookup;
  /** The required and the remaining credits, with `insufficient_credits`. */
  readonly credits?: CreditShortage;
}

/** Logged, so that operators can repeat the lookup. */
export interface FailedLookup {
  /** The name or the object. */
  readonly name: string;
  /** The host of the server that was queried; null if none was. */
  readonly host: string | null;
}

export interface CreditShortage {
  readonly required: number;
  readonly remaining: number;
  /** Start of the next calendar month (UTC), in milliseconds since the epoch. */
  readonly resetsAt: number;
}

export interface FieldError {
  readonly param: string;
  readonly code: ProblemCode;
  readonly detail: string;
}

/** A failure that is reported to the client: `detail` is sent to it, `cause` is only logged. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly param: string | undefined;
  readonly retryAfter: number | undefined;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly errors: readonly FieldError[] | undefined;
  readonly allow: string | undefined;
  readonly credits: CreditShortage | undefined;
  readonly lookup: FailedLookup | undefined;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    this.name = 'Problem';
    this.code = code;
    this.param = options.param;
    this.retryAfter = options.retryAfter;
    this.retryable = problems[code].retryable && options.isPermanent !== true;
    this.errors = options.errors;
    this.allow = options.allow;
    this.credits = options.credits;
    this.lookup = options.lookup;
  }

  get status(): number {
    return problems[this.code].status;
  }
}

/** Returns whether a problem means that a registry gave no usable answer. */
export function isLookupProblem({ code }: Problem): boolean {
  return lookupProblemCodes.some((each) => each === code);
}

/**
 * Returns the seconds to wait before a retry, if known. The default for a 503 is 1: a 503 always
 * has a `Retry-After`, even if the registry sent none.
 */
export function retryAfterOf({ retryAfter, status }: Problem): number | undefined {
  return retryAfter ?? (status === 503 ? 1 : undefined);
}
