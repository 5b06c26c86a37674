import { errorCode } from '../shared/error-code.ts';
import errors from './connect-errors.json' with { type: 'json' };

/** What is wrong with a certificate, by OpenSSL's code. */
const certificateErrors: Readonly<Record<string, string>> = errors.certificate;
/** Why there is no connection, by the code of the system. */
const connectErrors: Readonly<Record<string, string>> = errors.connection;

/** Returns whether a certificate could not be verified. */
export function isCertificateError(error: unknown): boolean {
  return errorCode(error) in certificateErrors;
}

/** Returns what the error of a connection or a response says; undefined if only that it ended. */
export function connectionFailure(error: unknown): string | undefined {
  const code = errorCode(error);
  const text = certificateErrors[code] ?? connectErrors[code];
  if (text) return `could not be reached: ${text[0]?.toLowerCase()}${text.slice(1)}`;
  if (code.startsWith('ERR_SSL_')) return 'could not be reached: no TLS connection was established';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'sent headers that are too large';

  const isInvalid = error instanceof Error && error.name === 'HTTPParserError';
  return isInvalid ? 'sent an invalid HTTP response' : undefined;
}
