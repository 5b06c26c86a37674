import { domainObject } from './domain-object.ts';
import { json, rdapJson, status, type Reply } from './replies.ts';

/** Returns a reply of exactly these bytes, after which the connection is closed. */
export function raw(text: string): Reply {
  return { send: ({ socket }) => void socket?.end(text) };
}

/** Returns a reply of these bytes, after which nothing is sent. */
export function rawThenHang(text: string): Reply {
  return { send: ({ socket }) => void socket?.write(text) };
}

/**
 * Returns a reply with this many bytes, sent as fast as they are read; without `announced`, it has
 * no length.
 */
export function flood(bytes: number, announced = true): Reply {
  const block = Buffer.alloc(64 * 1024, 'x');
  return {
    send(response) {
      response.writeHead(200, {
        'content-type': rdapJson,
        ...(announced && { 'content-length': bytes }),
      });
      let sent = 0;
      function writeMore(): void {
        while (sent < bytes && !response.destroyed) {
          sent += block.length;
          if (!response.write(block)) return void response.once('drain', writeMore);
        }
        if (!response.destroyed) response.end();
      }
      writeMore();
    },
  };
}

/** Returns a reply with a valid object that has this many additional members. */
export function wideJson(members: number): Reply {
  return object({ x_wide: Array.from({ length: members }, () => 0) });
}

/** Returns a reply with the domain object of the requested name, with members merged over it. */
export function object(members: Record<string, unknown>): Reply {
  return {
    send: (response, request, clock) =>
      json(200, domainObject(request.name, { members })).send(response, request, clock),
  };
}

/** Returns a reply with the media type of RDAP. */
export function body(text: string | Uint8Array, headers: Record<string, string> = {}): Reply {
  return status(200, { 'content-type': rdapJson, ...headers }, text);
}
