import { domainObject } from './domain-object.ts';
import { json, rdapJson, status, type Reply } from './replies.ts';

/** These bytes and no others, then the end of the connection. */
export function raw(text: string): Reply {
  return { send: ({ socket }) => void socket?.end(text) };
}

/** Starts like this and says no more. */
export function rawThenSilence(text: string): Reply {
  return { send: ({ socket }) => void socket?.write(text) };
}

/** A whole body of so many bytes, sent as fast as it is read; without `announced`, nobody is told how many. */
export function flood(bytes: number, announced = true): Reply {
  const block = Buffer.alloc(64 * 1024, 'x');
  return {
    send(response) {
      response.writeHead(200, {
        'content-type': rdapJson,
        ...(announced && { 'content-length': bytes }),
      });
      let sent = 0;
      function more(): void {
        while (sent < bytes && !response.destroyed) {
          sent += block.length;
          if (!response.write(block)) return void response.once('drain', more);
        }
        if (!response.destroyed) response.end();
      }
      more();
    },
  };
}

/** A right object with so many members more. */
export function wideJson(members: number): Reply {
  return object({ x_wide: Array.from({ length: members }, () => 0) });
}

/** The domain object of the name that was asked for, with members laid over it. */
export function object(members: Record<string, unknown>): Reply {
  return {
    send: (response, request, clock) =>
      json(200, domainObject(request.name, { members })).send(response, request, clock),
  };
}

/** Bytes that claim to be RDAP. */
export function body(text: string | Uint8Array, headers: Record<string, string> = {}): Reply {
  return status(200, { 'content-type': rdapJson, ...headers }, text);
}
