/** One window, as far as questions to the person are concerned. */
export interface WindowEntry {
  /** It shows this session. */
  saw(sessionId: string): void;
  /** It is closed. What was asked in sessions that no other window shows is denied (docs/spec.md E4). */
  close(): void;
}

/** Keeps which windows show which sessions; `deny` is called for a session whose last window was closed. */
export function createWindowRegistry(deny: (sessionId: string) => void): () => WindowEntry {
  const open = new Set<ReadonlySet<string>>();
  return () => {
    const seen = new Set<string>();
    open.add(seen);
    return {
      saw: (sessionId) => {
        seen.add(sessionId);
      },
      close: () => {
        if (!open.delete(seen)) return;
        for (const sessionId of seen) {
          if (![...open].some((other) => other.has(sessionId))) deny(sessionId);
        }
      },
    };
  };
}
