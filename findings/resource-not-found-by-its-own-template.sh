#!/usr/bin/env bash
# An MCP server does not find a URI that its own template made.
#
# Version: @modelcontextprotocol/server and /client 2.4.0
# Behavior: `expand` leaves out the variables of `{?tld,max}` that have no value. To match, the server wants
#   all of them, in this order, and answers "Resource not found" without.
# Expected: what a template expands to is found by the same template. Templates of MCP are those of RFC 6570,
#   which ignores undefined variables, and a query is where one puts optional values.
# Why it matters: a search without a limit needs a template of its own, and so does each other combination.
# Output: names://search?tld=com&max=1=found names://search?tld=com=-32602
# Source: RFC 6570, section 2.3, https://www.rfc-editor.org/rfc/rfc6570.html#section-2.3;
#   https://github.com/modelcontextprotocol/typescript-sdk/issues/149 (open)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent @modelcontextprotocol/server@2.4.0 \
  @modelcontextprotocol/client@2.4.0 >>npm.log

cat >finding.mjs <<'JS'
import { Client } from '@modelcontextprotocol/client';
import {
  InMemoryTransport,
  McpServer,
  ResourceTemplate,
  UriTemplate,
} from '@modelcontextprotocol/server';

const search = 'names://search{?tld,max}';
const about = { name: 'names', version: '1.0.0' };
const server = new McpServer(about);
server.registerResource('search', new ResourceTemplate(search, { list: undefined }), {}, async (uri) => ({
  contents: [{ uri: uri.href, text: 'found' }],
}));
const client = new Client(about);
const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(serverSide), client.connect(clientSide)]);

/** Returns the URI that the template makes of the variables, and what the server has there. */
async function read(variables) {
  const uri = new UriTemplate(search).expand(variables);
  const result = await client.readResource({ uri }).then(
    ({ contents: [{ text }] }) => text,
    ({ code }) => code,
  );
  return `${uri}=${result}`;
}

const seen = `${await read({ tld: 'com', max: '1' })} ${await read({ tld: 'com' })}`;
await client.close();
console.log(seen);
const expected = 'names://search?tld=com&max=1=found names://search?tld=com=-32602';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
