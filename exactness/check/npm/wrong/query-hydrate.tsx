// invented: Hydrate; right: HydrationBoundary
import { Hydrate, QueryClient, QueryClientProvider, type DehydratedState } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";

export function Providers({ state, children }: { state: DehydratedState; children: ReactNode }) {
  const [client] = useState(() => new QueryClient());
  return (
    <QueryClientProvider client={client}>
      <Hydrate state={state}>{children}</Hydrate>
    </QueryClientProvider>
  );
}
