import problems from './problems.json' with { type: 'json' };

/**
 * Every problem that a client can receive: HTTP status, title, whether a retry may succeed, and what
 * the client does about it, as Markdown.
 */
export { problems };

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
  readonly param?: string | undefined;
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number | undefined;
  /** The cause lasts, although other problems with this code may pass. */
  readonly isPermanent?: boolean;
  /** All field errors, if there are several. */
  readonly errors?: readonly FieldError[] | undefined;
  /** The methods that the path supports (`Allow`). */
  readonly allow?: string;
  /** The lookup that failed at its registry. */
  readonly lookup?: FailedLookup;
  /** The name that was probably meant, which the detail states, with `invalid_name`. */
  readonly suggestion?: string | undefined;
  /** The full names that were probably meant, with `unsupported_tld`. */
  readonly didYouMean?: readonly string[];
  /** The oldest cursor that is valid, with `cursor_expired`. */
  readonly oldestCursor?: string;
  /** The required and the remaining credits, with `insufficient_credits`. */
  readonly credits?: CreditShortage | undefined;
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
  readonly oldestCursor: string | undefined;
  readonly suggestion: string | undefined;
  readonly didYouMean: readonly string[] | undefined;

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
    this.oldestCursor = options.oldestCursor;
    this.suggestion = options.suggestion;
    this.didYouMean = options.didYouMean;
  }

  get status(): number {
    return problems[this.code].status;
  }
}

/** Returns what `read` returns, or the `Problem` that it throws. */
export function resultOrProblem<T>(read: () => T): T | Problem {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Adds `param` to the `Problem` that `read` throws. */
export function withParam<T>(param: string, read: () => T): T {
  const result = resultOrProblem(read);
  if (result instanceof Problem) throw new Problem(result.code, result.message, { param });
  return result;
}

/** Returns the problem of a parameter that is missing or empty. */
export function missingParameter(param: string): Problem {
  return new Problem('missing_parameter', `${param} is missing or empty.`, { param });
}

/** Returns the problem of a parameter with a value that is not valid. */
export function invalidParameter(param: string, detail: string): Problem {
  return new Problem('invalid_parameter', detail, { param });
}

/** Returns whether a code means that a registry gave no usable answer. */
export function isLookupProblem(code: unknown): boolean {
  return lookupProblemCodes.some((each) => each === code);
}

/**
 * Returns the seconds to wait before a retry, if known. The default for a 503 is 1: a 503 always
 * has a `Retry-After`, even if the registry sent none.
 */
export function retryAfterOf({ retryAfter, status }: Problem): number | undefined {
  return retryAfter ?? (status === 503 ? 1 : undefined);
}
