import type { IncomingMessage } from 'node:http';
import type { Account } from '../accounts/account.ts';
import { redactKeys } from '../accounts/api-key.ts';
import type { WorkBudget } from '../accounts/work-limit.ts';
import type { UsedAlias } from './response/deprecations.ts';
import type { ProblemCode } from '../domain/problems.ts';

/** One request at a door. */
export interface HttpRequestContext {
  readonly request: IncomingMessage;
  /** HEAD is as GET: the answer's body is left out when it is sent. */
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The old names that stand in its target. */
  readonly usedAliases: readonly UsedAlias[];
  /** Ours, on every answer and in the log. */
  readonly requestId: string;
  /** Aborted when the client leaves before it has its answer. */
  readonly signal: () => AbortSignal;
  /** What whatever answer it gets will carry; added to on the way. */
  readonly responseHeaders: Record<string, string>;
  /** Runs a task when the answer is written, read or not, or the client has disconnected before that. */
  onResponseClosed(task: () => void): void;
}

/** Who it is that was let in. */
export interface Principal {
  /** Lookups of one account take turns with those of the others. */
  readonly account: string;
  /** Who pays; nobody for a caller without a key. */
  readonly payer: Account | undefined;
  /** Work of this call that is limited unless the call costs credits. */
  readonly work: WorkBudget;
}

/** A call that was let in. */
export type AuthenticatedRequest = HttpRequestContext & Principal;

/** What is sent back. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** In one piece, or as it comes; ended early when the client leaves. */
  readonly body?: string | Uint8Array | AsyncGenerator<string, void, void>;
  /** What it tells of, where that is no data: for whoever counts. */
  readonly code?: ProblemCode;
}

export type Handler = (http: HttpRequestContext) => HttpResponse | Promise<HttpResponse>;

export type AuthenticatedHandler = (
  request: AuthenticatedRequest,
) => HttpResponse | Promise<HttpResponse>;

/** What the log tells of a call. Whatever stands in its path, no key does. */
export function logFields({ requestId, path }: HttpRequestContext): {
  readonly requestId: string;
  readonly path: string;
} {
  return { requestId, path: redactKeys(path) };
}

export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}
