import { notFound, registered, type FakeRequest, type Script } from './replies.ts';
import { startScriptedServer, type ScriptedServer, type ServerOptions } from './scripted-server.ts';

/** A real RDAP server whose every answer the test chooses. Its base URL may be given a path: `registry.url('com/v1/')`. */
export interface FakeRegistry extends ScriptedServer {
  /** Scripts a name, or the names that match; of two that match, the later holds. */
  on(name: NameMatcher, script: Script): void;
  /** What all other names get; at first, an RDAP 404. `nic.<tld>`, the canary of a TLD, is registered. */
  fallback(script: Script): void;
  /** How often a name was asked. */
  requestCount(name: string): number;
  /** Settles once a name has been asked so often in all. */
  whenRequested(name: string, times?: number): Promise<void>;
}

export type NameMatcher = string | RegExp | ((name: string, request: FakeRequest) => boolean);

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
