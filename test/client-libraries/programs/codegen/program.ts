import { request } from 'graphql-request';
import { graphql } from './gql';
import type { ProblemCode } from './gql/graphql';

const search = graphql(`
  query Search($domains: [String!]!) {
    domains(domains: $domains, maxAge: 0) {
      id
      available
      status
      problem {
        code
        retryable
      }
      rdap {
        handle
      }
      evidence {
        attempts {
          phase
        }
      }
    }
  }
`);

const [, , url = '', ...domains] = process.argv;

async function main(): Promise<void> {
  const { domains: rows } = await request(`${url}/graphql`, search, { domains });
  const codes: readonly (ProblemCode | undefined)[] = rows?.map((row) => row.problem?.code) ?? [];
  const phases: readonly ('queue' | 'exchange' | 'canary')[] =
    rows?.flatMap((row) => row.evidence?.attempts.map(({ phase }) => phase) ?? []) ?? [];
  console.log(
    JSON.stringify({
      rows: rows?.map(({ evidence: _evidence, ...row }) => row),
      codes,
      phases: Array.from(new Set(phases)).toSorted(),
    }),
  );
}

void main();
