import { expect } from 'vitest';
import { problems, type ProblemCode } from '../../src/problems.ts';

/** Holds an answer to the form of RFC 9457 that every REST problem has, and to nothing beside it. */
export async function expectProblem(answer: Response, code: ProblemCode, more: Record<string, unknown> = {}): Promise<void> {
  const { status, title, retryable } = problems[code];
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
  const body: unknown = await answer.json();
  expect(body).toEqual({
    type: expect.stringMatching(new RegExp(`^http://[^/]+/docs/errors#${code}$`)),
    title,
    status,
    detail: expect.stringMatching(/\.$/),
    instance: answer.url ? new URL(answer.url).pathname : expect.any(String),
    code,
    retryable,
    request_id: answer.headers.get('x-request-id'),
    ...more,
  });
  expect(answer.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  expect(answer.headers.get('cache-control')).toBe('no-store');
}
