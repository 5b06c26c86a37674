import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from './call.ts';
import { rawResponse } from './server/raw-response.ts';

/** A response that is built once and sent to each request that is rejected under overload. Its connection is closed. */
export class Rejection {
  readonly #status: number;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #body: string;
  readonly #raw: string;
  readonly #rawHead: string;

  constructor(reply: Reply) {
    const { status, headers, body } = reply;
    this.#status = status;
    this.#body = typeof body === 'string' ? body : '';
    this.#headers = { ...headers, 'content-length': String(Buffer.byteLength(this.#body)), connection: 'close' };
    this.#raw = rawResponse(reply);
    this.#rawHead = this.#raw.slice(0, this.#raw.indexOf('\r\n\r\n') + 4);
  }

  send(request: IncomingMessage, response: ServerResponse): void {
    const { method, socket, complete } = request;
    const isHead = method === 'HEAD';
    const isFirst = response.socket === socket;
    // Past Node's response, which would take most of the time here. Earlier responses of the connection must be sent before, and closing it
    // while part of a body is unread could lose the response.
    if (isFirst && (complete || isHead || method === 'GET')) {
      return void socket.write(isHead ? this.#rawHead : this.#raw, 'latin1', () => socket.destroy());
    }
    response.writeHead(this.#status, this.#headers);
    response.end(isHead ? undefined : this.#body);
  }
}
