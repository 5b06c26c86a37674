import * as v from 'valibot';
import packageJson from '../../package.json' with { type: 'json' };
import { CommandError, usageError } from './command-error.ts';
import { exitCodes } from './exit-codes.ts';
import { isNameRecord, type NameRecord } from './name-record.ts';
import type { CheckRequest, CheckRow, Lookups } from './lookups.ts';
import { lookupProblemCodes } from '../domain/problems.ts';
import { jsonIn } from '../shared/shapes.ts';

interface ServerOptions {
  /** The address of a gateway, with a final slash. */
  readonly url: URL;
  readonly key: string | undefined;
}

const rowShape = v.looseObject({
  domain: v.string(),
  available: v.nullable(v.boolean()),
  status: v.string(),
});
/** Looks names up through the REST API of a gateway. */
export class ServerLookups implements Lookups {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, key }: ServerOptions) {
    this.#url = url;
    this.#headers = {
      'user-agent': `${packageJson.name}/${packageJson.version}`,
      // Unlike `X-API-Key`, `fetch` does not send it to another origin after a redirect.
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    };
  }

  async *check({ names, maxAge, confirm }: CheckRequest): AsyncGenerator<CheckRow, void, void> {
    const response = await this.#fetch('v1/status/bulk', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
      body: JSON.stringify({
        domains: names,
        ...(maxAge !== undefined && { max_age: maxAge }),
        confirm: confirm.toLowerCase(),
      }),
    });
    if (!response.ok) throw problemError(await this.#problemIn(response));
    let count = 0;
    for await (const line of this.#linesIn(response)) {
      const value = jsonIn(line);
      if (!v.is(rowShape, value)) continue;
      count += 1;
      yield value as CheckRow;
    }
    if (count < names.length)
      throw this.#failure(`sent ${count} of ${names.length} results. Run the command again`);
  }

  async record(name: string, maxAge: number | undefined): Promise<NameRecord> {
    const query = new URLSearchParams({ domain: name });
    if (maxAge !== undefined) query.set('max_age', String(maxAge));
    const response = await this.#fetch(`v1/rdap?${query}`, {
      headers: { accept: 'application/json, application/problem+json' },
    });
    if (response.ok) return this.#recordIn(response);
    const problem = await this.#problemIn(response);
    if (!isLookupProblem(problem)) throw problemError(problem);
    const status = problem.code === 'unsupported_tld' ? problem.code : 'unknown';
    const none = { nameservers: [], registration: null, rdap: null };
    return {
      input: name,
      domain: name,
      available: null,
      status,
      reason: problem.code,
      ...none,
      problem: { code: problem.code, detail: problem.detail },
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      const headers = { ...init.headers, ...this.#headers };
      return await fetch(new URL(path, this.#url), { ...init, headers });
    } catch (error) {
      throw this.#failure(`is not reachable: ${reasonOf(error)}. Check --server`);
    }
  }

  async *#linesIn({ body }: Response): AsyncGenerator<string, void, void> {
    try {
      if (body) yield* linesOf(body);
    } catch (error) {
      throw this.#connectionLost(error);
    }
  }

  async #textOf(response: Response): Promise<string> {
    try {
      return await response.text();
    } catch (error) {
      throw this.#connectionLost(error);
    }
  }

  async #problemIn(response: Response): Promise<GatewayProblem> {
    const problem = jsonIn(await this.#textOf(response));
    if (isGatewayProblem(problem)) return problem;
    throw this.#unexpected(response);
  }

  async #recordIn(response: Response): Promise<NameRecord> {
    const record = jsonIn(await this.#textOf(response));
    if (isNameRecord(record)) return record;
    throw this.#unexpected(response);
  }

  #unexpected({ status }: Response): CommandError {
    return usageError(
      `--server must be the address of an RDAP gateway; the response of ${this.#url.href} (HTTP status ${status}) is not that of one.`,
    );
  }

  #connectionLost(error: unknown): CommandError {
    return this.#failure(`closed the connection: ${reasonOf(error)}. Run the command again`);
  }

  #failure(what: string): CommandError {
    return new CommandError(exitCodes.unknown, `The gateway at ${this.#url.href} ${what}.`);
  }
}

/** Returns the message of an error of `fetch`, whose reason is its cause. */
function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? (error.cause ?? error) : error;
  return reason instanceof Error ? reason.message : String(reason);
}

const problemShape = v.object({ status: v.number(), code: v.string(), detail: v.string() });

/** The body of an error of the REST API. */
type GatewayProblem = v.InferOutput<typeof problemShape>;

function isGatewayProblem(value: unknown): value is GatewayProblem {
  return v.is(problemShape, value);
}

/** The codes of problems that mean that a name has no verdict. */
const lookupProblems: ReadonlySet<string> = new Set(['unsupported_tld', ...lookupProblemCodes]);

/** Returns whether a problem is the result of a lookup, and not an error of the request. */
function isLookupProblem({ code }: GatewayProblem): boolean {
  return lookupProblems.has(code);
}

/**
 * Returns the error of a command for an error of a request. A client error is invalid usage, unless
 * the same request may succeed later.
 */
function problemError({ status, code, detail }: GatewayProblem): CommandError {
  const isUsage = status < 500 && ![402, 408, 429].includes(status);
  return new CommandError(isUsage ? exitCodes.usage : exitCodes.unknown, `${detail} (${code})`);
}

/** Yields the non-empty lines of a UTF-8 text as they arrive. Throws the errors of `chunks`. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter(Boolean);
  }
  if (rest) yield rest;
}
