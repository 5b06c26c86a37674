/** Every failure that a client can see: its HTTP status, its title, and whether asking again may help. */
export const problems = {
  missing_parameter: { status: 400, title: 'A parameter is missing', retryable: false },
  invalid_parameter: { status: 400, title: 'A parameter is not valid', retryable: false },
  invalid_name: {
    status: 400,
    title: 'Not a domain name that can be registered',
    retryable: false,
  },
  invalid_max_age: { status: 400, title: 'Not an age in seconds', retryable: false },
  invalid_naming: { status: 400, title: 'Not a way of naming keys', retryable: false },
  invalid_body: { status: 400, title: 'The body is not what this path takes', retryable: false },
  too_many_tlds: { status: 400, title: 'Too many TLDs in one call', retryable: false },
  too_many_lookups: { status: 400, title: 'Too many names in one call', retryable: false },
  invalid_query: { status: 400, title: 'Not a valid GraphQL request', retryable: false },
  persisted_query_not_found: {
    status: 400,
    title: 'No query is registered under this hash',
    retryable: false,
  },
  malformed_request: { status: 400, title: 'Not a valid HTTP request', retryable: false },
  query_too_large: { status: 400, title: 'The GraphQL document is too large', retryable: false },
  unsupported_tld: { status: 400, title: 'No RDAP server is known for this TLD', retryable: false },
  missing_api_key: { status: 401, title: 'A key is needed', retryable: false },
  invalid_api_key: { status: 401, title: 'The key is not valid', retryable: false },
  insufficient_credits: {
    status: 402,
    title: 'Too few credits are left this month',
    retryable: false,
  },
  forbidden_origin: { status: 403, title: 'This key does not work from here', retryable: false },
  not_found: { status: 404, title: 'There is nothing at this path', retryable: false },
  method_not_allowed: {
    status: 405,
    title: 'This path does not take this method',
    retryable: false,
  },
  not_acceptable: {
    status: 406,
    title: 'No media type that you accept can carry the answer',
    retryable: false,
  },
  request_timeout: { status: 408, title: 'The request took too long to arrive', retryable: true },
  idempotency_conflict: {
    status: 409,
    title: 'The same Idempotency-Key came with another body',
    retryable: false,
  },
  payload_too_large: { status: 413, title: 'The body is too large', retryable: false },
  unsupported_media_type: {
    status: 415,
    title: 'The body is not application/json',
    retryable: false,
  },
  headers_too_large: { status: 431, title: 'The headers are too large', retryable: false },
  rate_limited: { status: 429, title: 'Too many requests', retryable: true },
  internal: { status: 500, title: 'The gateway failed', retryable: true },
  not_implemented: { status: 501, title: 'This path is known by name only', retryable: false },
  registry_error: { status: 502, title: 'The registry failed', retryable: true },
  untrusted_answer: {
    status: 502,
    title: 'The registry sent something that proves nothing',
    retryable: true,
  },
  registry_busy: {
    status: 503,
    title: 'The registry takes no more questions now',
    retryable: true,
  },
  overloaded: { status: 503, title: 'The gateway has too much to do', retryable: true },
  unavailable: { status: 503, title: 'Credits cannot be counted now', retryable: true },
  registry_timeout: { status: 504, title: 'The registry did not answer in time', retryable: true },
} as const satisfies Record<string, { status: number; title: string; retryable: boolean }>;

export type ProblemCode = keyof typeof problems;

interface ProblemOptions {
  /** For the log, never for the client. */
  readonly cause?: unknown;
  /** The parameter at fault. */
  readonly param?: string;
  /** Seconds until asking again makes sense. */
  readonly retryAfter?: number;
  /** Every culprit, where there are several. */
  readonly errors?: readonly FieldError[];
  /** The methods that the path takes. */
  readonly allow?: string;
  /** What was asked for and what is left, where credits ran out. */
  readonly credits?: CreditShortage;
}

export interface CreditShortage {
  readonly required: number;
  readonly remaining: number;
  /** When the next month begins, in milliseconds since the epoch. */
  readonly resetsAt: number;
}

export interface FieldError {
  readonly param: string;
  readonly code: ProblemCode;
  readonly detail: string;
}

/** A failure as the client will read it: `detail` says what to do; `cause` is for the log. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly param: string | undefined;
  readonly retryAfter: number | undefined;
  readonly errors: readonly FieldError[] | undefined;
  readonly allow: string | undefined;
  readonly credits: CreditShortage | undefined;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    this.name = 'Problem';
    this.code = code;
    this.param = options.param;
    this.retryAfter = options.retryAfter;
    this.errors = options.errors;
    this.allow = options.allow;
    this.credits = options.credits;
  }

  get status(): number {
    return problems[this.code].status;
  }
}

/** Returns the seconds after which a retry makes sense. A 503 always has them, also where a busy registry does not say. */
export function retryAfterOf({ retryAfter, status }: Problem): number | undefined {
  return retryAfter ?? (status === 503 ? 1 : undefined);
}
