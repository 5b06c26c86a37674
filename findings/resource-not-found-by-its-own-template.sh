#!/usr/bin/env bash
# A server does not find a resource whose URI was made from its template
# (@modelcontextprotocol/server 2.4.0 with @modelcontextprotocol/client 2.4.0).
#
# Behavior: `UriTemplate.expand` leaves out the variables of `{?tld,max}` that have no value, and encodes
# the others. The server's matching wants every variable and does not decode: a URI without `max` is
# "Resource not found", and the handler gets `m%C3%BCnchen.de` where `münchen.de` went in.
# A good guess: what a template expands to is found by the same template, and gives the values back. The
# templates of MCP are those of RFC 6570, which ignores variables without a value (section 2.3), and
# parameters of a query are where one expects optional values. So a search without a limit needs a
# template of its own, and a handler that looks up internationalized names has to decode them.
# Seen: names://search?tld=com&max=1=found names://search?tld=com=-32602 names://name/m%C3%BCnchen.de=m%C3%BCnchen.de
# Source: https://www.rfc-editor.org/rfc/rfc6570.html#section-2.3,
# https://modelcontextprotocol.io/specification/2025-06-18/server/resources#resource-templates,
# https://www.npmjs.com/package/@modelcontextprotocol/server
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent @modelcontextprotocol/server@2.4.0 @modelcontextprotocol/client@2.4.0 >>npm.log

cat >finding.mjs <<'JS'
import { Client } from '@modelcontextprotocol/client';
import {
  InMemoryTransport,
  McpServer,
  ResourceTemplate,
  UriTemplate,
} from '@modelcontextprotocol/server';

const search = 'names://search{?tld,max}';
const byName = 'names://name/{name}';
const about = { name: 'names', version: '1.0.0' };
const server = new McpServer(about);
for (const template of [search, byName])
  server.registerResource(
    template,
    new ResourceTemplate(template, { list: undefined }),
    {},
    async (uri, { name = 'found' }) => ({ contents: [{ uri: uri.href, text: name }] }),
  );
const client = new Client(about);
const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(serverSide), client.connect(clientSide)]);

/** Returns the URI that the template makes of the variables, and what the server has there. */
async function read(template, variables) {
  const uri = new UriTemplate(template).expand(variables);
  const result = await client.readResource({ uri }).then(
    ({ contents: [{ text }] }) => text,
    ({ code }) => code,
  );
  return `${uri}=${result}`;
}

const seen = [
  await read(search, { tld: 'com', max: '1' }),
  await read(search, { tld: 'com' }),
  await read(byName, { name: 'münchen.de' }),
].join(' ');
await client.close();
console.log(seen);
const expected =
  'names://search?tld=com&max=1=found names://search?tld=com=-32602 names://name/m%C3%BCnchen.de=m%C3%BCnchen.de';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
