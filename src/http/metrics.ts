import type { IncomingMessage } from 'node:http';
import { isCrossSite, isLocal } from '../accounts/authenticate.ts';
import { callerAddress, wasForwarded } from '../accounts/caller-address.ts';
import { isLoopbackAddress, plainAddress, type AddressList } from '../addresses.ts';
import type { Handler } from './call.ts';

export interface MetricsOptions {
  /** The figures, as Prometheus reads them. */
  readonly text: () => Promise<string>;
  readonly mediaType: string;
  readonly readers: AddressList;
  readonly trustedProxies: AddressList;
}

export const metricsPath = '/metrics';

/** The figures for an operator. Who may not read them must not get here. */
export function metricsHandler({ text, mediaType }: MetricsOptions): Handler {
  return async () => ({ status: 200, headers: { 'content-type': mediaType, 'cache-control': 'no-store' }, body: await text() });
}

/**
 * Whether a request comes from one of the readers: itself, or through a trusted proxy that says so. What was forwarded by anybody else is from
 * somebody unknown, as a proxy on this machine must not open it to the world; so is what a page of a web site asks for, and who is on this
 * machine and calls it by another name, as a rebound page and a proxy that says nothing do.
 */
export function mayReadMetrics(request: IncomingMessage, { readers, trustedProxies }: MetricsOptions): boolean {
  const { headersDistinct, socket } = request;
  const caller = callerAddress(request, trustedProxies);
  if (caller === undefined || 'origin' in headersDistinct || isCrossSite(headersDistinct)) return false;
  const forwarded = wasForwarded(headersDistinct);
  const forwarderOnly = forwarded && caller === plainAddress(socket.remoteAddress ?? '');
  const goesByAnotherName = !forwarded && isLoopbackAddress(caller) && !isLocal(request);
  return !forwarderOnly && !goesByAnotherName && readers.has(caller);
}
