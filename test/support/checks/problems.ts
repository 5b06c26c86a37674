import { expect } from 'vitest';
import { problems, type ProblemCode } from '../../../src/domain/problems.ts';
import type { Json } from '../gateways/gateway.ts';

/**
 * Checks that a response is a REST problem with all members of RFC 9457 and of client libraries,
 * and no others.
 */
export async function expectProblem(
  answer: Response,
  code: ProblemCode,
  additional: Record<string, unknown> = {},
): Promise<void> {
  const { status, title, retryable } = problems[code];
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    status,
    'application/problem+json',
  ]);
  const body: Json = await answer.json();
  expect(body).toEqual({
    type: expect.stringMatching(new RegExp(`^http://[^/]+/docs/errors#${code}$`)),
    title,
    status,
    detail: expect.stringMatching(/\.$/),
    instance: answer.url ? new URL(answer.url).pathname : expect.any(String),
    code,
    retryable,
    request_id: answer.headers.get('x-request-id'),
    message: body.detail,
    error: {
      code: expect.stringMatching(/^[A-Z]+(?:_[A-Z]+)*$/),
      type: expect.stringMatching(/^[a-z]+(?:_[a-z]+)*_error$/),
      message: body.detail,
      status,
      retryable,
      request_id: answer.headers.get('x-request-id'),
      docs_url: body.type,
      ...('retry_after' in body && { retry_after: body.retry_after }),
    },
    ...additional,
  });
  expect(answer.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  expect(answer.headers.get('cache-control')).toBe('no-store');
}
