import React, { Suspense, createContext, lazy, memo, useCallback, useContext, useEffect, useId, useMemo, useReducer, useRef, useState } from "react";
import { QueryClient, QueryClientProvider, keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

interface Todo {
  id: string;
  title: string;
  done: boolean;
}

type Action = { type: "filter"; text: string } | { type: "reset" };

const Theme = createContext<"light" | "dark">("light");
const Statistics = lazy(() => import("./statistics"));

function reducer(_state: string, action: Action): string {
  return action.type === "filter" ? action.text : "";
}

const Row = memo(function Row({ todo, onToggle }: { todo: Todo; onToggle: (id: string) => void }) {
  const theme = useContext(Theme);
  const id = useId();
  return (
    <li className={theme}>
      <input id={id} type="checkbox" checked={todo.done} onChange={() => onToggle(todo.id)} />
      <label htmlFor={id}>{todo.title}</label>
    </li>
  );
});

export function TodoList({ page }: { page: number }): React.ReactElement {
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [filter, dispatch] = useReducer(reducer, "");
  const [open, setOpen] = useState(false);
  const { data = [], isPending, error } = useQuery({
    queryKey: ["todos", page],
    queryFn: async ({ signal }): Promise<Todo[]> => (await fetch(`/todos?page=${page}`, { signal })).json(),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  const toggle = useMutation({
    mutationFn: (id: string) => fetch(`/todos/${id}`, { method: "PATCH" }),
    onSettled: () => client.invalidateQueries({ queryKey: ["todos"] }),
  });
  const shown = useMemo(() => data.filter((todo) => todo.title.includes(filter)), [data, filter]);
  const onToggle = useCallback((id: string) => toggle.mutate(id), [toggle]);

  useEffect(() => {
    input.current?.focus();
    return () => client.cancelQueries({ queryKey: ["todos"] }) as unknown as void;
  }, [client]);

  if (isPending) return <p>…</p>;
  if (error) return <p role="alert">{error.message}</p>;
  return (
    <React.Fragment>
      <input ref={input} onChange={(event: React.ChangeEvent<HTMLInputElement>) => dispatch({ type: "filter", text: event.target.value })} />
      <ul>{shown.map((todo) => <Row key={todo.id} todo={todo} onToggle={onToggle} />)}</ul>
      <button onClick={() => setOpen(!open)}>statistics</button>
      {open && <Suspense fallback={null}><Statistics /></Suspense>}
    </React.Fragment>
  );
}

const client = new QueryClient({ defaultOptions: { queries: { retry: 1, gcTime: 60_000 } } });

export const App = (): React.JSX.Element => (
  <QueryClientProvider client={client}>
    <Theme.Provider value="dark"><TodoList page={1} /></Theme.Provider>
  </QueryClientProvider>
);
