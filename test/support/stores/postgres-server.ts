import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { startPostgres, type Postgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address that creates a database. */
    readonly postgres: string;
  }
}

/**
 * Lets the test files of a project share a PostgreSQL server, which starts when the first of them
 * requests a database. Vitest ends it after them.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let postgres: Promise<Postgres> | undefined;
  const server = createServer((_request, response) => {
    postgres ??= startPostgres({ max_connections: '300' });
    postgres
      .then((started) => started.database())
      .then(
        (url) => response.end(url),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('postgres', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    await (await postgres)?.[Symbol.asyncDispose]();
  };
}
