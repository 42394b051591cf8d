import { createContext, useContext, useEffect, useState } from 'react';
import type { CodeHighlighter, CodeLines } from './highlighter';

/** The highlighter of the page; null leaves all code plain. */
export const HighlighterContext = createContext<CodeHighlighter | null>(null);

/** Returns the coloured lines of code; null until they are there, while it is not `done`, and for code that stays plain. */
export function useHighlighted(code: string, language: string, done: boolean): CodeLines | null {
  const highlighter = useContext(HighlighterContext);
  const [result, setResult] = useState<{ code: string; lines: CodeLines } | null>(null);
  useEffect(() => {
    if (!done || highlighter === null) return;
    const control = new AbortController();
    void highlighter.highlight(code, language, control.signal).then((lines) => {
      if (!control.signal.aborted && lines !== null) setResult({ code, lines });
    });
    return () => control.abort();
  }, [code, language, done, highlighter]);
  return result?.code === code ? result.lines : null;
}
