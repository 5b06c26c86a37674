import type { IncomingMessage } from 'node:http';
import { isCrossSite, isLocal } from '../../accounts/authenticate.ts';
import { callerAddress, isForwarded } from '../../accounts/caller-address.ts';
import { isLoopbackAddress, normalizeAddress, type AddressList } from '../../ip-address.ts';
import type { Handler } from '../http-request-context.ts';

export interface MetricsOptions {
  /** Returns the metrics in the text format of Prometheus. */
  readonly text: () => Promise<string>;
  readonly mediaType: string;
  readonly readers: AddressList;
  readonly trustedProxies: AddressList;
}

export const metricsPath = '/metrics';

/** Responds with the metrics. The router hides the path from clients that may not read them. */
export function metricsHandler({ text, mediaType }: MetricsOptions): Handler {
  return async () => ({
    status: 200,
    headers: { 'content-type': mediaType, 'cache-control': 'no-store' },
    body: await text(),
  });
}

/**
 * Returns whether a request comes from one of the readers, directly or through a trusted proxy that says so. What another proxy forwards comes
 * from an unknown client: a proxy on this machine must not open the metrics to the world. So does what a page of a web site requests, and what
 * is sent on this machine to another host name, as by DNS rebinding, or by a proxy that does not say that it forwards.
 */
export function mayReadMetrics(
  request: IncomingMessage,
  { readers, trustedProxies }: MetricsOptions,
): boolean {
  const { headersDistinct, socket } = request;
  const caller = callerAddress(request, trustedProxies);
  if (caller === undefined || 'origin' in headersDistinct || isCrossSite(headersDistinct))
    return false;
  const wasForwarded = isForwarded(headersDistinct);
  const isForwarderItself = wasForwarded && caller === normalizeAddress(socket.remoteAddress ?? '');
  const usesOtherHostName = !wasForwarded && isLoopbackAddress(caller) && !isLocal(request);
  return !isForwarderItself && !usesOtherHostName && readers.has(caller);
}
