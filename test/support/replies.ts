import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Clock } from '../../src/clock.ts';
import { domainObject, type DomainOverrides } from './domain-object.ts';

/** One request as it reached a fake server. */
export interface FakeRequest {
  /** What follows `domain/` in the path, decoded; empty for any other path. */
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** By the fake server's own clock, in milliseconds. */
  readonly at: number;
}

/** Something a server may do with a request, rightly or wrongly. One reply may be sent any number of times. */
export interface Reply {
  send(response: ServerResponse, request: FakeRequest, clock: Clock): void | Promise<void>;
}

/** A reply, or a function that chooses one for the request. */
export type Script = Reply | ((request: FakeRequest) => Reply | Promise<Reply>);

export async function replyOf(script: Script, request: FakeRequest): Promise<Reply> {
  return typeof script === 'function' ? script(request) : script;
}

export const rdapJson = 'application/rdap+json';

export function registered(name: string, overrides: DomainOverrides = {}): Reply {
  return json(200, domainObject(name, overrides));
}

/** An RDAP error that says 404: the proof that nobody holds the name. */
export function notFound(description = 'No such domain.', title = 'Not Found'): Reply {
  return json(404, {
    rdapConformance: ['rdap_level_0'],
    errorCode: 404,
    title,
    description: [description],
  });
}

/** What Verisign says of a free name: the media type of RDAP and nothing more. */
export function emptyNotFound(): Reply {
  return status(404, { 'content-type': rdapJson });
}

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

export function json(code: number, value: unknown, headers: OutgoingHttpHeaders = {}): Reply {
  return status(code, { 'content-type': rdapJson, ...headers }, JSON.stringify(value));
}

export function html(code: number): Reply {
  return status(
    code,
    { 'content-type': 'text/html; charset=utf-8' },
    `<!doctype html><title>${code}</title><h1>${code}</h1>`,
  );
}

export function redirect(to: string, code = 302): Reply {
  return status(code, { location: to });
}
