// React with urql: the rows of a subscription, merged into a list.
import { gql, useSubscription } from 'urql';

interface Row {
  readonly domain: string;
  readonly available: boolean | null;
}

const search = gql`
  subscription Search($name: String!, $tlds: [String!]!) {
    availability(name: $name, tlds: $tlds) {
      id
      domain
      available
    }
  }
`;

/** urql reports the last row twice, so rows are merged by name. */
const merge = (rows: readonly Row[] = [], { availability }: { readonly availability: Row }) => [
  ...rows.filter(({ domain }) => domain !== availability.domain),
  availability,
];

/** Pass `key={name}`: a new search then starts with an empty list, and ends the one before it. */
export function Results({ name, tlds }: { readonly name: string; readonly tlds: string[] }) {
  const [{ data: rows = [], error }] = useSubscription<{ availability: Row }, readonly Row[]>(
    { query: search, variables: { name, tlds } },
    merge,
  );
  if (error) return <p role="alert">{error.message}</p>;
  return (
    <ul>
      {rows.map(({ domain, available }) => (
        <li key={domain}>
          {domain}: {available === null ? 'unknown' : available ? 'available' : 'taken'}
        </li>
      ))}
    </ul>
  );
}
