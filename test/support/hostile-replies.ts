import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { domainObject } from './domain-object.ts';
import { rdapJson, type Reply } from './replies.ts';

// Wherever it can be, the object is a right answer for the name asked, so that only the guard under test can refuse it.

/** Never answers. */
export function hang(): Reply {
  return { send() {} };
}

/** Headers at once, then one byte every so often. */
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

/** Cuts the connection before a word is said. */
export function reset(): Reply {
  return { send: cut };
}

/** Promises a whole body, sends a part of it and cuts the connection. */
export function resetMidBody(): Reply {
  return {
    send(response, { name }) {
      const text = JSON.stringify(domainObject(name));
      response.writeHead(200, { 'content-type': rdapJson, 'content-length': text.length });
      response.write(text.slice(0, text.length / 2), () => setImmediate(cut, response));
    },
  };
}

/** Half an object whose end is the end of the connection: to HTTP, a complete 200. */
export function truncated(): Reply {
  return {
    send(response, { name }) {
      const text = JSON.stringify(domainObject(name));
      const head = `HTTP/1.1 200 OK\r\nContent-Type: ${rdapJson}\r\nConnection: close\r\n\r\n`;
      response.socket?.end(head + text.slice(0, text.length / 2));
    },
  };
}

/** A few kilobytes on the wire that unpack to a whole object of 64 MiB. */
export function gzipBomb(bytes = 64 * 1024 * 1024): Reply {
  return ok((name) => gzipSync(padded(name, bytes)), { 'content-encoding': 'gzip' });
}

/** An object of so many bytes. */
export function huge(bytes: number): Reply {
  return ok((name) => padded(name, bytes));
}

/** An object with arrays within arrays, so many levels deep. */
export function deepJson(levels: number): Reply {
  return ok((name) => withMember(name, '"x_deep":' + '['.repeat(levels) + ']'.repeat(levels)));
}

/** An object with a byte that UTF-8 does not have, in a string. */
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

function cut(response: ServerResponse): void {
  // A TLS socket has no reset of its own.
  if (response.socket instanceof TLSSocket) response.socket.destroy();
  else response.socket?.resetAndDestroy();
}
