// Mercurius with its JIT, which reads all domains from a Map.
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { serveParent } from '../part.ts';

let domains = new Map();
const schema = readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8');
const app = Fastify();
app.register(mercurius, {
  schema,
  resolvers: { Query: { domain: (_root, { name, tld }) => domains.get(`${name}.${tld}`) } },
  jit: 1,
});
await app.listen({ port: 0, host: '127.0.0.1' });
serveParent(app.server.address().port, (entries) => void (domains = new Map(entries)));
