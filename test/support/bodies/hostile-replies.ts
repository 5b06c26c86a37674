import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { domainObject } from './domain-object.ts';
import { rdapJson, type Reply } from './replies.ts';

// Where possible, the object is correct for the requested name, so that only the check under test
// can reject it.

/** Returns a reply that is never sent. */
export function hang(): Reply {
  return { send() {} };
}

/** Returns a reply that sends its headers immediately, then one byte every `everyMs`. */
export function drip(text: string, everyMs: number): Reply {
  return {
    send(response, _request, clock) {
      response
        .writeHead(200, { 'content-type': rdapJson, 'content-length': Buffer.byteLength(text) })
        .flushHeaders();
      const bytes = Buffer.from(text);
      const dripFrom = (index: number) => {
        if (response.destroyed) return;
        if (index === bytes.length) return void response.end();
        response.write(bytes.subarray(index, index + 1));
        clock.after(everyMs, () => dripFrom(index + 1));
      };
      clock.after(everyMs, () => dripFrom(0));
    },
  };
}

/** Returns a reply that resets the connection without sending anything. */
export function reset(): Reply {
  return { send: resetConnection };
}

/** Returns a reply that announces a body, sends half of it and resets the connection. */
export function resetMidBody(): Reply {
  return {
    send(response, { name }) {
      const text = JSON.stringify(domainObject(name));
      response.writeHead(200, { 'content-type': rdapJson, 'content-length': text.length });
      response.write(text.slice(0, text.length / 2), () => setImmediate(resetConnection, response));
    },
  };
}

/**
 * Returns a reply with half an object, delimited by the end of the connection: to HTTP, a complete
 * 200.
 */
export function truncated(): Reply {
  return {
    send(response, { name }) {
      const text = JSON.stringify(domainObject(name));
      const head = `HTTP/1.1 200 OK\r\nContent-Type: ${rdapJson}\r\nConnection: close\r\n\r\n`;
      response.socket?.end(head + text.slice(0, text.length / 2));
    },
  };
}

/** Returns a reply of a few kilobytes that decompress to a valid object of 64 MiB. */
export function gzipBomb(bytes = 64 * 1024 * 1024): Reply {
  return ok((name) => gzipSync(padded(name, bytes)), { 'content-encoding': 'gzip' });
}

/** Returns a reply with an object of this many bytes. */
export function huge(bytes: number): Reply {
  return ok((name) => padded(name, bytes));
}

/** Returns a reply with an object that contains arrays nested to this depth. */
export function deepJson(levels: number): Reply {
  return ok((name) => withMember(name, '"x_deep":' + '['.repeat(levels) + ']'.repeat(levels)));
}

/** Returns a reply with an object that contains an invalid UTF-8 byte in a string. */
export function invalidUtf8(): Reply {
  return ok((name) => {
    const [before = '', after = ''] = withMember(name, '"x_byte":"caf#"').split('#');
    return Buffer.concat([Buffer.from(before), Buffer.from([0xe9]), Buffer.from(after)]);
  });
}

function ok(
  bodyFor: (name: string) => string | Uint8Array,
  headers: OutgoingHttpHeaders = {},
): Reply {
  return {
    send(response, { name }) {
      const body = bodyFor(name);
      response
        .writeHead(200, {
          'content-type': rdapJson,
          'content-length': Buffer.byteLength(body),
          ...headers,
        })
        .end(body);
    },
  };
}

function padded(name: string, bytes: number): string {
  const bare = withMember(name, '"x_padding":""');
  return withMember(name, `"x_padding":"${'x'.repeat(Math.max(0, bytes - bare.length))}"`);
}

function withMember(name: string, member: string): string {
  return `${JSON.stringify(domainObject(name)).slice(0, -1)},${member}}`;
}

function resetConnection(response: ServerResponse): void {
  // A TLS socket cannot be reset.
  if (response.socket instanceof TLSSocket) response.socket.destroy();
  else response.socket?.resetAndDestroy();
}
