import type { Json } from './gateway.ts';

/** The members that revision 2026-07-28 requires in `_meta` of each request. */
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Returns the request that calls a tool in revision 2026-07-28, as a client would send it. */
export function toolCall(name: string, args: Json, init: RequestInit = {}): RequestInit {
  const params = { name, arguments: args, _meta: meta };
  return {
    ...init,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...Object.fromEntries(new Headers(init.headers)),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  };
}
