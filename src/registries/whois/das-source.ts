import { findRefusal } from './classify-whois-reply.ts';
import { replyForm } from './whois-source.ts';
import type { Source } from '../../domain/source.ts';
import { tcpSource, type TcpOptions, type ReplyClassification } from './tcp-source.ts';
import { toRequest, type DasService, type RequestForm, type CodeMeaning } from './das-services.ts';
import { isSameName, tldOf, type DomainName } from '../../domain/names/domain-name.ts';
import type { HostPort } from '../../domain/names/ip-address.ts';
import { Problem, type ProblemCode } from '../../domain/problems.ts';
import type { FailureKind } from '../../domain/answer.ts';

/** The largest documented reply has less than 500 bytes. */
const maxReplyBytes = 4096;

/**
 * Returns a source that queries an availability service in one of its request forms, at the address
 * that the operator configured, or at the registry's own server.
 */
export function dasSource(
  service: DasService,
  address: HostPort | undefined,
  form: RequestForm,
  options: TcpOptions,
): Source {
  const { host, port } = service;
  return tcpSource(
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

/**
 * Classifies a complete reply of an availability service: its last line was received, or the server
 * closed the connection in order. Anything that its table does not list is UNKNOWN.
 */
export function classifyReply(
  service: DasService,
  name: DomainName,
  text: string,
): ReplyClassification {
  const classification = readStatement(service, name, text);
  if (classification.verdict !== 'AVAILABLE') return classification;
  const lines = text.split(/\r?\n/);
  return findRefusal(text) || hasOtherLines(service, lines)
    ? untrusted(name, 'sent a reply with other lines')
    : { ...classification, replyForm: formOf(service, name, lines) };
}

/** Reads the result code and the status of a reply, whatever else it contains. */
function readStatement(service: DasService, name: DomainName, text: string): ReplyClassification {
  const { codes, status, forms } = service;
  const lines = linesOf(service, text, true);
  const meaning = codeMeaningOf(service, lines);
  const error = meaning && errors[meaning];
  if (error) return unknown(name, error);
  if (meaning === 'available') return { verdict: 'AVAILABLE' };
  if (meaning === 'not_available') return { verdict: 'RESERVED', mayBeRegistered: true };
  if (!status || (codes && meaning !== 'status'))
    return untrusted(name, 'sent a reply in an unknown format');

  const names = matchesIn(lines, status.name);
  const [stated, ...others] = matchesIn(lines, status.line);
  if (names.length === 0 || stated === undefined || others.length > 0)
    return untrusted(name, 'sent a reply in an unknown format');

  // Queries, and therefore replies, may have the name without its TLD.
  const mayBeLabel = forms.some((form) => form.includes('{label}'));
  const fullName = (found: string) =>
    mayBeLabel && !found.includes('.') ? `${found}.${tldOf(name)}` : found;
  if (!names.every((found) => isSameName(fullName(found), name)))
    return untrusted(name, 'sent a reply about another name');

  const verdict = new Map(Object.entries(status.verdicts)).get(stated.toLowerCase());
  return verdict ? { verdict } : untrusted(name, 'returned an unknown status');
}

/** Returns whether the received text contains the last line of a reply. */
export function hasLastLine(service: DasService, text: string): boolean {
  const lines = linesOf(service, text, false);
  const meaning = codeMeaningOf(service, lines);

  return (
    (meaning !== undefined && meaning !== 'status') ||
    (service.status !== undefined && matchesIn(lines, service.status.line).length > 0)
  );
}

/**
 * Returns whether an AVAILABLE has lines that are not part of the format. The texts of comments, and
 * those after a result code, are unknown: the controls compare them.
 */
function hasOtherLines({ codes, status }: DasService, lines: readonly string[]): boolean {
  if (!status) return matchesIn(lines.slice(1), codes?.pattern).length > 0;
  const known = [/^\s*$/, comment, status.name, status.line, codes?.pattern];
  const isKnown = (line: string) => known.some((pattern) => pattern?.test(line));
  return lines.at(-1)?.trim() !== '' || !lines.every(isKnown);
}

/** A comment, except one in the form of a result code. */
const comment = /^%(?!%| ?RC\b)/i;

/** Returns the form of the lines without the name, which may be a label only. */
function formOf({ status }: DasService, name: DomainName, lines: readonly string[]): string {
  const others = lines.filter((line) => !status?.name.test(line));
  return replyForm(others.join('\n'), name);
}

/**
 * Splits a reply into lines. A line without a line end may have been cut off, so it is dropped,
 * unless it begins with a result code.
 */
function linesOf({ status }: DasService, text: string, isComplete: boolean): readonly string[] {
  const lines = text.split(/\r?\n/);
  return isComplete && !status ? lines : lines.slice(0, -1);
}

/**
 * Returns the meaning of the result code. Undefined if there is none, several, or one that is not
 * listed.
 */
function codeMeaningOf(
  { codes, status }: DasService,
  lines: readonly string[],
): CodeMeaning | undefined {
  // Without a status line, the code is in the first line, and free text follows.
  const [code, ...others] = matchesIn(status ? lines : lines.slice(0, 1), codes?.pattern);
  return code === undefined || others.length > 0 ? undefined : codes?.meanings[code];
}

/** Returns the first group of each line that matches. */
function matchesIn(lines: readonly string[], pattern: RegExp | undefined): readonly string[] {
  return lines.flatMap((line) => pattern?.exec(line)?.[1] ?? []);
}

/** The problem of each code that is an error. */
const errors: Readonly<Partial<Record<CodeMeaning, ReplyError>>> = {
  rejected: { code: 'untrusted_answer', text: 'rejected the query as invalid' },
  limited: { code: 'registry_busy', text: 'limits queries', failure: 'busy', retryAfter: 60 },
  blocked: {
    code: 'registry_error',
    text: 'has blocked the address of this gateway',
    failure: 'busy',
    retryAfter: 3600,
  },
  failed: { code: 'registry_error', text: 'reported a temporary error', failure: 'server_error' },
};

interface ReplyError {
  readonly code: ProblemCode;
  readonly text: string;
  readonly failure?: FailureKind;
  /** In seconds. */
  readonly retryAfter?: number;
}

function unknown(
  name: DomainName,
  { code, text, failure, retryAfter }: ReplyError,
): ReplyClassification {
  const detail = `The availability service of .${tldOf(name)} ${text}.`;
  const problem = new Problem(code, detail, { retryAfter });
  return { problem, ...(failure && { failure }) };
}

function untrusted(name: DomainName, text: string): ReplyClassification {
  return unknown(name, { code: 'untrusted_answer', text });
}
