// React with Apollo Client 4: the rows of a subscription, merged into a list.
import { gql } from '@apollo/client';
import { useSubscription } from '@apollo/client/react';
import { useState } from 'react';

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

/** Pass `key={name}`: a new search then starts with an empty list, and ends the one before it. */
export function Results({ name, tlds }: { readonly name: string; readonly tlds: string[] }) {
  const [rows, setRows] = useState<Readonly<Record<string, Row>>>({});
  const [isComplete, setComplete] = useState(false);
  const { error } = useSubscription<{ availability: Row }>(search, {
    variables: { name, tlds },
    onData: ({ data: { data } }) => {
      if (!data) return;
      const row = data.availability;
      setRows((known) => ({ ...known, [row.domain]: row }));
    },
    onComplete: () => setComplete(true),
  });
  if (error) return <p role="alert">{error.message}</p>;
  return (
    <ul aria-busy={!isComplete}>
      {Object.values(rows).map(({ domain, available }) => (
        <li key={domain}>
          {domain}: {available === null ? 'unknown' : available ? 'available' : 'taken'}
        </li>
      ))}
    </ul>
  );
}
