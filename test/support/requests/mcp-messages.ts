import type { StandardSchemaV1 } from '@modelcontextprotocol/client';
import type { Json } from '../gateways/gateway.ts';

/** The members that revision 2026-07-28 requires in `_meta` of each request. */
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Returns the request that calls a tool in revision 2026-07-28, as a client would send it. */
export function toolCall(name: string, args: Json, init: RequestInit = {}): RequestInit {
  return mcpRequest('tools/call', { name, arguments: args }, init);
}

/** Returns a request with a method that has a name, in revision 2026-07-28. */
export function mcpRequest(method: string, params: Json, init: RequestInit = {}): RequestInit {
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } };
  return {
    ...init,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': params.name,
      ...Object.fromEntries(new Headers(init.headers)),
    },
    body: JSON.stringify(message),
  };
}

/** Accepts every result of a method that the client does not know. */
export const anyJson: StandardSchemaV1<unknown, Json> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) },
};
