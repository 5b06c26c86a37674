import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { addressLimitId, callerAddress } from '../accounts/caller-address.ts';
import { plainAddress, type AddressList } from '../addresses.ts';
import { systemClock, type Clock } from '../clock.ts';
import { aliasesUsed } from '../deprecations.ts';
import type { Log } from '../log.ts';
import { createServer } from '../node-http.ts';
import type { Problem } from '../problems.ts';
import type { Admission } from './admission.ts';
import { answerBrokenRequests } from './broken-requests.ts';
import { logged, type Call, type Reply } from './call.ts';
import { trackConnections, type Connections } from './connections.ts';
import { asProblem, isOurs } from './problem.ts';
import { maxConnectionsFor, openFileLimit } from './open-files.ts';
import { RejectionLog } from './rejection-log.ts';
import { Shares } from './shares.ts';
import { rawPath, readTarget } from './target.ts';
import { visitOf, type Visit } from './visit.ts';
import { sendReply } from './send.ts';
import { joinVary, varyAt } from './vary.ts';
import { readingPatience, type TimeLimits } from './time-limits.ts';

export interface Door {
  /** Whether a request is served however many others wait. */
  isExempt(request: IncomingMessage, path: string): boolean;
  /** Answers a request that is rejected because of overload. */
  reject(request: IncomingMessage, response: ServerResponse, path: string): void;
  /** Answers a call. May throw; what it throws is rendered by `refuse`. */
  answer(call: Call): Reply | Promise<Reply>;
  refuse(problem: Problem, call: Call): Reply;
  /** Answers a request that never became a call. */
  refuseUnread(problem: Problem, requestId: string): Reply;
  /** Headers that every answer carries. */
  headers(origin: string | undefined): Record<string, string>;
}

export interface HttpServer {
  /** Listens; resolves to the address that was taken. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /** Stops accepting, lets what is in flight finish, and after `graceMs` cuts what has not. */
  stop(graceMs: number): Promise<void>;
  /** How many are open. */
  readonly connections: number;
}

export interface HttpServerOptions {
  readonly door: Door;
  readonly admission: Admission;
  readonly trustedProxies: AddressList;
  readonly limits: TimeLimits;
  readonly clock: Clock;
  readonly log: Log;
}

const mostConnections = 10_000;
/** Connections that wait to be accepted. A client whose connection is dropped tries again after a second or more. */
const backlog = 4096;

/** The HTTP server in front of all doors: request ids, common headers, and the one place where a failure becomes an answer. */
export function createHttpServer({ door, admission, trustedProxies, limits, clock, log }: HttpServerOptions): HttpServer {
  let stopping = false;
  let closing = false;
  const patience = readingPatience(limits, log);
  // A request without one is refused at the door: Node alone would send a bare 400.
  const server = createServer({ ...limits, requireHostHeader: false });
  const rejections = new RejectionLog(log, clock);
  const maxConnections = allowedConnections(log);
  const connectionShares = new Shares(maxConnections);
  const connections = trackConnections(server, {
    admit({ remoteAddress }) {
      const peer = plainAddress(remoteAddress ?? '');
      // A trusted proxy connects for many callers.
      if (peer !== undefined && trustedProxies.has(peer)) return () => undefined;
      return connectionShares.take(addressLimitId(peer) ?? '');
    },
    serve: admit,
    pause: (resume) => admission.pause(resume),
    clock,
  });
  server.maxConnections = maxConnections;
  // Node alone would send a bare 417 for an expectation that it does not know; it may as well be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  answerBrokenRequests(server, connections, (problem) => {
    const requestId = randomUUID();
    const reply = door.refuseUnread(problem, requestId);
    return { ...reply, headers: { ...door.headers(undefined), 'x-request-id': requestId, ...reply.headers } };
  });

  function admit(request: IncomingMessage, response: ServerResponse, waitingSince: number): boolean {
    const path = rawPath(request.url ?? '');
    if (door.isExempt(request, path)) {
      void serve(request, response, () => undefined);
      return false;
    }
    admission.enter({
      address: addressLimitId(callerAddress(request, trustedProxies)) ?? '',
      waitingSince,
      serve: (release) => void serve(request, response, release),
      reject() {
        rejections.count('overloaded');
        door.reject(request, response, path);
      },
      isDisconnected: () => response.destroyed,
    });
    return true;
  }

  /** `release` is called when the response is written, not when the client has read it. */
  async function serve(request: IncomingMessage, response: ServerResponse, release: () => void): Promise<void> {
    const visit = visitOf(response);
    visit.whenDone(release);
    response.on('close', () => {
      visit.end();
      // A stream whose headers are long gone could not be told that its connection will close.
      if (closing) connections.closeIdle();
    });
    const call = readCall(request, visit);
    const reply = await answerOrRefuse(call);
    const common = door.headers(request.headers.origin);
    // Each part of the gateway names the headers that its own decision depends on.
    const vary = joinVary(common['vary'], varyAt(call.path), call.answerHeaders['vary'], reply.headers['vary']);
    const last = stopping ? { connection: 'close' } : {};
    const headers = {
      ...common,
      'x-request-id': call.requestId,
      ...call.answerHeaders,
      ...reply.headers,
      ...(vary !== undefined && { vary }),
      ...last,
    };
    try {
      await sendReply(response, { ...reply, headers }, call, patience);
    } catch (error) {
      // What is on its way can only be broken off: the client sees that the end is missing.
      log.error({ err: error, ...logged(call) }, 'an answer broke off');
      response.destroy();
    } finally {
      visit.end();
    }
  }

  async function answerOrRefuse(call: Call): Promise<Reply> {
    try {
      return await door.answer(call);
    } catch (error) {
      const problem = asProblem(error);
      if (isOurs(problem)) log.error({ err: problem.cause, ...logged(call) }, 'the gateway failed');
      else if (problem.code === 'rate_limited' || problem.code === 'overloaded') rejections.count(problem.code);
      // Not its path: a name may stand there.
      else log.info({ code: problem.code, requestId: call.requestId }, 'a request was refused');
      return door.refuse(problem, call);
    }
  }

  return {
    get connections() {
      return connections.open;
    },
    async listen(host, port) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port, backlog }, () => {
          server.off('error', reject);
          resolve();
        });
      });
      return server.address() as AddressInfo;
    },
    async stop(graceMs) {
      stopping = true;
      admission.stopPausing();
      const closed = new Promise<void>((resolve) => server.once('close', resolve));
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await stopAccepting(server, connections, limits);
      closing = true;
      connections.closeIdle();
      await closed;
      clearTimeout(cut);
      server.close(); // ends its timers, too
      rejections.flush();
    },
  };
}

/** Returns how many connections are accepted, and warns when the limit of open files allows fewer than usual. */
function allowedConnections(log: Log): number {
  const limit = openFileLimit();
  const max = maxConnectionsFor(limit, mostConnections);
  if (max < mostConnections) {
    log.warn(`Open file limit is ${limit}: at most ${max} connections are accepted. Raise it (LimitNOFILE, ulimit -n).`);
  }
  return max;
}

/** Settles when what was sent by now has been read, on new connections and on those that were kept. */
async function stopAccepting(server: Server, connections: Connections, { lastRequestsTimeout }: TimeLimits): Promise<void> {
  const end = systemClock.elapsed() + lastRequestsTimeout;
  // The system has taken connections that wait for the loop to take them, one a turn: closing now would reset them.
  let before: number;
  do {
    before = connections.accepted;
    await wholeTurn();
  } while (connections.accepted > before && systemClock.elapsed() < end);
  // An HTTP server's own close also closes each kept connection, although its next request may be on its way.
  NetServer.prototype.close.call(server);
  if (connections.open > 0) await delay(Math.max(end - systemClock.elapsed(), 0));
  // The loop may have been busy for all that time.
  await wholeTurn();
}

/** Settles when the event loop has read once what there is to be read. */
async function wholeTurn(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

function readCall(request: IncomingMessage, visit: Visit): Call {
  const { path, query } = readTarget(request.url ?? '');
  return {
    request,
    method: request.method === 'HEAD' ? 'GET' : (request.method ?? ''),
    path,
    query,
    aliases: aliasesUsed(path, query),
    requestId: randomUUID(),
    signal: visit.signal,
    answerHeaders: {},
    whenDone: visit.whenDone,
  };
}
