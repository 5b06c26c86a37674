import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type RequestOptions,
} from '@modelcontextprotocol/client';
import type { Json } from '../gateways/gateway.ts';

/** The revisions that clients use: the stateless one, and two with `initialize`. */
export const revisions = ['2026-07-28', '2025-11-25', '2025-06-18'] as const;
export type Revision = (typeof revisions)[number];

/** The official client, connected to a gateway. */
export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  /** Calls a tool. Problems are results, not errors. */
  call(tool: string, args?: Json, options?: RequestOptions): Promise<ToolResult>;
}

export type ToolResult = CallToolResult & { readonly structuredContent?: Json };

/** Connects the official client over HTTP, with a key if one is given. */
export async function connectMcp(
  url: string,
  revision: Revision = '2026-07-28',
  headers: Record<string, string> = {},
): Promise<McpClient> {
  return connectClient(
    new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }),
    revision,
  );
}

/** Connects the official client over any transport. */
export async function connectClient(
  transport: Parameters<Client['connect']>[0],
  revision: Revision,
): Promise<McpClient> {
  const mode = revision === '2026-07-28' ? { pin: revision } : 'legacy';
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      versionNegotiation: { mode },
      ...(mode === 'legacy' && { supportedProtocolVersions: [revision] }),
    },
  );
  await client.connect(transport);
  return {
    client,
    call: (name, args = {}, options = {}) =>
      client.callTool({ name, arguments: args }, options) as Promise<ToolResult>,
    [Symbol.asyncDispose]: () => client.close(),
  };
}
