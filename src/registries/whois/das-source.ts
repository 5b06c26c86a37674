import type { Source } from '../../domain/source.ts';
import { TcpSource, type ServerAddress, type TcpOptions } from './tcp-source.ts';
import { classifyReply, hasLastLine } from './classify-das-reply.ts';
import { toRequest, type DasService, type RequestForm } from './das-services.ts';

/** The largest documented reply has less than 500 bytes. */
const maxReplyBytes = 4096;

/**
 * Returns a source that queries an availability service in one of its request forms, at the address
 * that the operator configured, or at the registry's own server.
 */
export function dasSource(
  service: DasService,
  address: ServerAddress | undefined,
  form: RequestForm,
  options: TcpOptions,
): Source {
  const { host, port } = service;
  return new TcpSource(
    {
      kind: 'das',
      maxReplyBytes,
      unclearCode: 'untrusted_answer',
      queryOf: (name) => toRequest(form, name),
      hasLastLine: (text) => hasLastLine(service, text),
      classify: (name, text) => classifyReply(service, name, text),
    },
    { own: { host, port }, configured: address },
    options,
  );
}
