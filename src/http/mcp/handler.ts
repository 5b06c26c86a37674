import { onceFulfilled } from '../../shared/memoize.ts';
import type { AuthenticatedHandler } from '../http-request-context.ts';
import { readJsonBody } from '../messages/body.ts';
import type { EndpointOptions } from './endpoint.ts';
import { checkMcpOrigin } from './origin.ts';

interface McpOptions extends EndpointOptions {
  readonly corsOrigins: readonly string[];
  readonly baseUrl: () => string;
}

/** Handles `POST /mcp`: the Model Context Protocol, with the tools of `mcp-server.ts`. */
export function mcpHandler({ corsOrigins, baseUrl, ...options }: McpOptions): AuthenticatedHandler {
  // Loaded by the first request: the SDK would add to the time that the gateway takes to start.
  const endpoint = onceFulfilled(async () => {
    const { McpEndpoint } = await import('./endpoint.ts');
    return new McpEndpoint(options);
  });
  return async (request) => {
    checkMcpOrigin(request, corsOrigins, baseUrl());
    const body = await readJsonBody(request.request);
    return (await endpoint()).respond(request, body);
  };
}
