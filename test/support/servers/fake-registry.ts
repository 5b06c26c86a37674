import { notFound, registered, type FakeRequest, type Script } from '../bodies/replies.ts';
import { startScriptedServer, type ScriptedServer, type ServerOptions } from './scripted-server.ts';

/**
 * A real RDAP server with scripted responses. Its base URL may have a path:
 * `registry.url('com/v1/')`.
 */
export interface FakeRegistry extends ScriptedServer {
  /** Scripts the names that match. If several scripts match, the latest applies. */
  on(name: NameMatcher, script: Script): void;
  /**
   * Scripts all other names; by default, an RDAP 404. `nic.<tld>`, the canary of a TLD, is
   * registered.
   */
  fallback(script: Script): void;
  /** Returns how often a name was requested. */
  requestCount(name: string): number;
  /** Resolves when a name has been requested `times` times in total. */
  whenRequested(name: string, times?: number): Promise<void>;
}

export type NameMatcher = string | RegExp | ((name: string, request: FakeRequest) => boolean);

/** Starts a registry without scripts. */
export async function startFakeRegistry(options: ServerOptions = {}): Promise<FakeRegistry> {
  const rules: { matcher: NameMatcher; script: Script }[] = [
    { matcher: /^nic\./, script: ({ name }) => registered(name) },
  ];
  let fallbackScript: Script = notFound();
  const scriptFor = (request: FakeRequest) =>
    rules.findLast(({ matcher }) => matches(matcher, request))?.script ?? fallbackScript;
  const server = await startScriptedServer(scriptFor, options);
  const requestCount = (name: string) =>
    server.requests.filter((request) => request.name === name).length;
  return Object.assign(server, {
    on: (matcher: NameMatcher, script: Script) => void rules.push({ matcher, script }),
    fallback: (script: Script) => void (fallbackScript = script),
    requestCount,
    whenRequested: (name: string, times = 1) => server.when(() => requestCount(name) >= times),
  });
}

function matches(matcher: NameMatcher, request: FakeRequest): boolean {
  if (typeof matcher === 'function') return matcher(request.name, request);
  return typeof matcher === 'string' ? matcher === request.name : matcher.test(request.name);
}
