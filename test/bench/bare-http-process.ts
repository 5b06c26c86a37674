import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveParent } from './part.ts';

/** The fixed response of this server, which measures the cost of Node's HTTP server alone. */
export interface BareAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

let answer: BareAnswer = { headers: {}, body: '' };
const server = createServer((_request, response) => {
  response.writeHead(200, answer.headers);
  response.end(answer.body);
});
server.listen(0, '127.0.0.1', () =>
  serveParent<BareAnswer>((server.address() as AddressInfo).port, (next) => void (answer = next)),
);
