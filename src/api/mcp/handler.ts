import { onceFulfilled } from '../../shared/memoize.ts';
import type {
  AuthenticatedHandler,
  HttpRequestContext,
} from '../../server/http-request-context.ts';
import { readJsonBody } from '../../server/messages/body.ts';
import type { ServerOptions } from './mcp-server.ts';
import { Problem } from '../../domain/problems.ts';

export interface McpOptions extends Omit<ServerOptions, 'tools' | 'events'> {
  readonly tools: () => Promise<ServerOptions['tools']>;
  readonly events: () => Promise<ServerOptions['events']>;
  readonly corsOrigins: readonly string[];
  readonly baseUrl: () => string;
}

/** Handles `POST /mcp`: the Model Context Protocol. */
export function mcpHandler({
  corsOrigins,
  baseUrl,
  tools,
  events,
  ...options
}: McpOptions): AuthenticatedHandler {
  // Loaded by the first request: the SDK would add to the time that the gateway takes to start.
  const endpoint = onceFulfilled(async () => {
    const { McpEndpoint } = await import('./endpoint.ts');
    return new McpEndpoint({ ...options, tools: await tools(), events: await events() });
  });
  return async (request) => {
    checkMcpOrigin(request, corsOrigins, baseUrl());
    // A client of JSON-RPC expects an error of JSON-RPC.
    const body = await readJsonBody(request.request).catch((error: unknown) => {
      if (error instanceof Problem && error.code === 'invalid_body') return error;
      throw error;
    });

    return (await endpoint()).respond(request, body);
  };
}

/**
 * Throws `forbidden_origin` for a request from a page whose origin is neither the gateway's own nor
 * in `CORS_ORIGINS`. MCP requires this check in addition to CORS, which only hides responses
 * (revision 2026-07-28, Streamable HTTP, "Security"). If all origins are allowed, DNS rebinding is
 * prevented by authentication: without a key, it accepts only loopback hosts and origins.
 */
function checkMcpOrigin(
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
