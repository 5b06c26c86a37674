import { readFileSync } from 'node:fs';
import type { PlanChange } from '../../accounts/account.ts';
import { DocumentsError } from '../../http/graphql/documents-error.ts';
import { CliError } from './cli-error.ts';

/**
 * Reads the documents of `--documents`: those of a file, or none for `any`, which removes the limit.
 * An absent option changes nothing. Rejects with `CliError`.
 */
export async function readDocuments(file: string | undefined): Promise<PlanChange> {
  if (file === undefined) return {};
  if (file === 'any') return { documents: null };
  const source = readSource(file);
  // Only this option needs the schema, whose modules take longer to load than the others.
  const [{ schema }, { readTrustedDocuments }] = await Promise.all([
    import('../../../schema/schema.ts'),
    import('../../http/graphql/read-trusted-documents.ts'),
  ]);
  try {
    return { documents: readTrustedDocuments(source, schema) };
  } catch (error) {
    if (error instanceof DocumentsError) throw invalidDocuments(file, error.message);
    throw error;
  }
}

function readSource(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw invalidDocuments(file, `The file cannot be read: ${String(error)}`);
  }
}

function invalidDocuments(file: string, reason: string): CliError {
  return new CliError(2, `--documents ${file}: ${reason}`);
}
