import type { IncomingMessage } from 'node:http';
import { isCrossSite, isLocal } from '../accounts/authenticate.ts';
import { callerAddress, isForwarded } from '../accounts/caller-address.ts';
import {
  isLoopbackAddress,
  normalizeAddress,
  type AddressList,
} from '../domain/names/ip-address.ts';
import type { Handler } from './http-request-context.ts';

export interface MetricsOptions {
  /** Returns the metrics in the Prometheus text format. */
  readonly text: () => Promise<string>;
  readonly mediaType: string;
  readonly readers: AddressList;
  readonly trustedProxies: AddressList;
}

export const metricsPath = '/metrics';

/** Responds with the metrics. The router returns 404 to clients that may not read them. */
export function metricsHandler({ text, mediaType }: MetricsOptions): Handler {
  return async () => ({
    status: 200,
    headers: { 'content-type': mediaType, 'cache-control': 'no-store' },
    body: await text(),
  });
}

/**
 * Returns whether a request comes from one of `readers`, directly or through a trusted proxy.
 * Requests forwarded by another proxy do not qualify: a proxy on this machine must not expose the
 * metrics to its clients. Neither do requests from web pages, nor requests from this machine to
 * another host name, which result from DNS rebinding or from a proxy that sends no forwarding
 * headers.
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
