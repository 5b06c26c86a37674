import type { IncomingMessage } from 'node:http';
import type { Account } from '../accounts/account.ts';
import { withoutKeys } from '../accounts/api-key.ts';
import type { Work } from '../accounts/work-limit.ts';
import type { UsedAlias } from './response/deprecations.ts';
import type { ProblemCode } from '../domain/problems.ts';

/** One request at a door. */
export interface Call {
  readonly request: IncomingMessage;
  /** HEAD is as GET: the answer's body is left out when it is sent. */
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The old names that stand in its target. */
  readonly aliases: readonly UsedAlias[];
  /** Ours, on every answer and in the log. */
  readonly requestId: string;
  /** Aborted when the client leaves before it has its answer. */
  readonly signal: () => AbortSignal;
  /** What whatever answer it gets will carry; added to on the way. */
  readonly answerHeaders: Record<string, string>;
  /** Runs a task when the answer is written, read or not, or the client has disconnected before that. */
  whenDone(task: () => void): void;
}

/** Who it is that was let in. */
export interface Admitted {
  /** Lookups of one account take turns with those of the others. */
  readonly account: string;
  /** Who pays; nobody for a caller without a key. */
  readonly payer: Account | undefined;
  /** Work of this call that is limited unless the call costs credits. */
  readonly work: Work;
}

/** A call that was let in. */
export type AdmittedCall = Call & Admitted;

/** What is sent back. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** In one piece, or as it comes; ended early when the client leaves. */
  readonly body?: string | Uint8Array | AsyncGenerator<string, void, void>;
  /** What it tells of, where that is no data: for whoever counts. */
  readonly code?: ProblemCode;
}

export type Handler = (call: Call) => Reply | Promise<Reply>;

export type AdmittedHandler = (call: AdmittedCall) => Reply | Promise<Reply>;

/** What the log tells of a call. Whatever stands in its path, no key does. */
export function logged({ requestId, path }: Call): {
  readonly requestId: string;
  readonly path: string;
} {
  return { requestId, path: withoutKeys(path) };
}

export function jsonReply(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}
