#!/usr/bin/env bash
# cspell:ignore langchain langgraph
# A structured result of an MCP tool reaches the model twice.
#
# Version: @langchain/mcp-adapters 1.1.4 with @langchain/core 1.4.0
# Behavior: if a result has `structuredContent` and one text, the `content` of the message is JSON with both. The
#   structured content is in its `artifact`, too, which the model does not see.
# Expected: the text, as for a result without structured content. According to the README, `content` is the
#   text if a tool returns nothing else.
# Why it matters: MCP asks a tool with structured content to send the same data as text, so this is the common
#   result. It costs more than twice the tokens, and the model reads JSON in a string in JSON.
# Output: text={"free":true} both={"type":"text","text":"{\"free\":true}","structuredContent":{"free":true}}
# Source: https://modelcontextprotocol.io/specification/2025-06-18/server/tools#structured-content ("SHOULD also
#   return the serialized JSON in a TextContent block"); "Tool Output Mapping" in the README of the package
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent @langchain/mcp-adapters@1.1.4 @langchain/core@1.4.0 \
  @langchain/langgraph@1.7.3 @modelcontextprotocol/sdk@1.32.2 zod@4.6.7 >>npm.log

cat >finding.mjs <<'JS'
import { loadMcpTools } from '@langchain/mcp-adapters';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

const about = { name: 'names', version: '1.0.0' };
const structuredContent = { free: true };
const content = [{ type: 'text', text: JSON.stringify(structuredContent) }];
const server = new McpServer(about);
server.registerTool('text', {}, async () => ({ content }));
server.registerTool('both', {}, async () => ({ content, structuredContent }));
const client = new Client(about);
const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(serverSide), client.connect(clientSide)]);

const messages = [];
for (const tool of await loadMcpTools('names', client)) {
  const message = await tool.invoke({ type: 'tool_call', id: 'call-1', name: tool.name, args: {} });
  messages.push(`${tool.name}=${message.content}`);
}
await client.close();
const seen = messages.join(' ');
console.log(seen);
const both = JSON.stringify({ ...content[0], structuredContent });
process.exitCode = seen === `text={"free":true} both=${both}` ? 0 : 1;
JS
node finding.mjs
