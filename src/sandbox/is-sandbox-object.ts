import type { ObjectRef } from '../domain/object-ref.ts';
import { isDocumentationAutnum } from './autnums.ts';
import { isDocumentationRange } from './networks.ts';

/**
 * Returns whether an object is looked up in the sandbox: addresses and numbers reserved for
 * documentation (RFC 5737, RFC 3849, RFC 5398), handles that end with `-SANDBOX` in any case, and
 * nameservers under `.test`. A handle at a server is one of the sandbox only if the server is
 * `sandboxUrl`, because any registry may send such a handle.
 */
export function isSandboxObject(ref: ObjectRef, sandboxUrl?: string): boolean {
  switch (ref.type) {
    case 'ip':
      return isDocumentationRange(ref.ip);
    case 'autnum':
      return isDocumentationAutnum(ref.number);
    case 'entity':
      return (
        isSandboxHandle(ref.handle) && (ref.baseUrl === undefined || ref.baseUrl === sandboxUrl)
      );
    case 'nameserver':
      return isTestName(ref.name);
  }
}

/** Returns whether a handle ends with `-SANDBOX`, in any case. */
export function isSandboxHandle(handle: string): boolean {
  return /.-SANDBOX$/i.test(handle);
}

/** Returns whether a name is an A-label name under `.test`, in any case. */
export function isTestName(name: string): boolean {
  return /^(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+test$/i.test(name);
}
