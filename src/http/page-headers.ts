/** Headers of an HTML page that may load nothing but what the policy lists, and be framed by nobody. */
export function pageHeaders(policy: readonly string[], cacheControl: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [...policy, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join('; '),
    'cache-control': cacheControl,
    'referrer-policy': 'no-referrer',
  };
}
