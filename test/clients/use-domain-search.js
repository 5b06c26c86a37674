// A React hook: the rows of the latest search, as they arrive.
import { useEffect, useState } from 'react';
import { search } from './fetch.js';

export function useDomainSearch(url, name, tlds) {
  const [state, setState] = useState({ rows: [], isLoading: false });
  const tldList = tlds.join();
  useEffect(() => {
    if (!name) return setState({ rows: [], isLoading: false });
    const controller = new AbortController();
    const run = async () => {
      setState({ rows: [], isLoading: true });
      const variables = { name, tlds: tldList.split(',') };
      try {
        for await (const row of search(url, variables, { signal: controller.signal }))
          setState(({ rows }) => ({ rows: [...rows, row], isLoading: true }));
        setState(({ rows }) => ({ rows, isLoading: false }));
      } catch ({ message }) {
        if (!controller.signal.aborted)
          setState(({ rows }) => ({ rows, isLoading: false, error: message }));
      }
    };
    // Waits for a pause in typing. Each keystroke cancels the search before it.
    const timer = setTimeout(run, 200);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [url, name, tldList]);
  return state;
}
