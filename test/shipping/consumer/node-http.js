import { createServer } from 'node:http';

export function serveWithNode(gateway) {
  return createServer(gateway.handle);
}
