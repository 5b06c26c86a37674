import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Clock } from '../../../src/clock.ts';
import { domainObject, type DomainOverrides } from './domain-object.ts';

/** A request received by a fake server. */
export interface FakeRequest {
  /**
   * What follows `domain/` in the path, or the path of another object, such as `ip/192.0.2.1`;
   * decoded.
   */
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Time by the fake server's clock, in milliseconds. */
  readonly at: number;
}

/** A valid or invalid response of a server. A reply may be sent any number of times. */
export interface Reply {
  send(response: ServerResponse, request: FakeRequest, clock: Clock): void | Promise<void>;
}

/** A reply, or a function that chooses one for the request. */
export type Script = Reply | ((request: FakeRequest) => Reply | Promise<Reply>);

/** Resolves a script to the reply for a request. */
export async function replyOf(script: Script, request: FakeRequest): Promise<Reply> {
  return typeof script === 'function' ? script(request) : script;
}

export const rdapJson = 'application/rdap+json';

/** Returns a 200 with the domain object of a name. */
export function registered(name: string, overrides: DomainOverrides = {}): Reply {
  return json(200, domainObject(name, overrides));
}

/** Returns a 200 with the object of a name that is not registered, as some registries send it. */
export function unregistered(name: string): Reply {
  return json(200, { objectClassName: 'domain', ldhName: name, status: ['free'] });
}

/** Returns an RDAP error with code 404, which proves that the name is unregistered. */
export function notFound(description = 'No such domain.', title = 'Not Found'): Reply {
  return json(404, {
    rdapConformance: ['rdap_level_0'],
    errorCode: 404,
    title,
    description: [description],
  });
}

/** Returns Verisign's response for an unregistered name: the media type of RDAP without a body. */
export function emptyNotFound(): Reply {
  return status(404, { 'content-type': rdapJson });
}

/** Returns a reply with a status, headers and a body. */
export function status(
  code: number,
  headers: OutgoingHttpHeaders = {},
  body: string | Uint8Array = '',
): Reply {
  return {
    send(response) {
      response.writeHead(code, { 'content-length': Buffer.byteLength(body), ...headers }).end(body);
    },
  };
}

/** Returns a reply with JSON and the media type of RDAP. */
export function json(code: number, value: unknown, headers: OutgoingHttpHeaders = {}): Reply {
  return status(code, { 'content-type': rdapJson, ...headers }, JSON.stringify(value));
}

/** Returns a reply with an HTML page. */
export function html(code: number): Reply {
  return status(
    code,
    { 'content-type': 'text/html; charset=utf-8' },
    `<!doctype html><title>${code}</title><h1>${code}</h1>`,
  );
}

/** Returns a redirect. */
export function redirect(to: string, code = 302): Reply {
  return status(code, { location: to });
}
