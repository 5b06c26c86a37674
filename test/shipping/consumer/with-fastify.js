import { fastify } from 'fastify';

export function serveWithFastify(gateway) {
  const app = fastify();
  app.register(async (scope) => {
    // The gateway reads the bodies.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    scope.all('/rdap/*', ({ raw }, reply) => {
      reply.hijack();
      raw.url = raw.url.replace('/rdap', '');
      gateway.handle(raw, reply.raw);
    });
  });
  return app;
}
