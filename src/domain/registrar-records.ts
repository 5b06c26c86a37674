import type { Registration } from './registration.ts';
import type { Answer, Asker, Question } from './registry.ts';

/** The registrars' own records, which may hold contacts that the registries leave out. Never part of a verdict, never merged. */
export interface RegistrarRecords {
  /** What the registrar says of a name that its registry holds; null when it has no server, or does not know the name. Throws a `Problem`. */
  get(question: Question, held: Pick<Answer, 'registration' | 'endpoint'>, asker: Asker): Promise<Registration | null>;
}
