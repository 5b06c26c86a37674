// Runs the examples of docs/npm-package.md with the installed package. Prints the results as JSON.
import { once } from 'node:events';
import { graphql } from 'graphql';
import { createGateway } from 'rdap-graphql-gateway';
import { serveWithNode } from './node-http.js';
import { search } from './search.js';
import { stitchedSchema } from './stitching.js';
import { serveWithExpress } from './with-express.js';
import { serveWithFastify } from './with-fastify.js';

const gateway = await createGateway({ STORE_URL: 'sqlite:./handlers.db', LOG_LEVEL: 'silent' });
const http = serveWithNode(gateway).listen(0, '127.0.0.1');
const express = serveWithExpress(gateway).listen(0, '127.0.0.1');
const fastify = serveWithFastify(gateway);
await Promise.all([once(http, 'listening'), once(express, 'listening')]);
await fastify.listen({ port: 0, host: '127.0.0.1' });

const urlOf = (server, path = '') => `http://127.0.0.1:${server.address().port}${path}`;
const rows = {};
for (const [name, url] of Object.entries({
  http: urlOf(http),
  express: urlOf(express, '/rdap'),
  fastify: urlOf(fastify.server, '/rdap'),
})) {
  rows[name] = [];
  const fail = (code) => rows[name].push(code);
  await search(url, 'taken', { show: (row) => rows[name].push(row), fail });
  await search(url, 'not a label', { show: fail, fail });
  rows[name].sort();
}
const source = '{ domain(name: "taken.test") { available } }';
const stitched = await graphql({ schema: stitchedSchema(gateway), source });
console.log(JSON.stringify({ rows, stitched }));

for (const server of [http, express]) {
  server.close();
  server.closeAllConnections();
}
await fastify.close();
await gateway.close();
