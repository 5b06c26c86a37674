import { Problem } from '../../domain/problems.ts';
import type { HttpRequestContext } from '../http-request-context.ts';

/**
 * Throws `forbidden_origin` for a request from a page whose origin is neither the gateway's own nor
 * in `CORS_ORIGINS`. MCP requires this check in addition to CORS, which only hides responses
 * (revision 2026-07-28, Streamable HTTP, "Security"). If all origins are allowed, DNS rebinding is
 * prevented by authentication: without a key, it accepts only loopback hosts and origins.
 */
export function checkMcpOrigin(
  { request }: HttpRequestContext,
  allowed: readonly string[],
  baseUrl: string,
): void {
  const { origin } = request.headers;
  if (origin === undefined || allowed.includes('*') || allowed.includes(origin)) return;
  if (origin === new URL(baseUrl).origin) return;
  throw new Problem(
    'forbidden_origin',
    'Pages of this origin may not call /mcp. The operator can add it to CORS_ORIGINS.',
  );
}
