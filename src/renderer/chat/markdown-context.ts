import { createContext } from 'react';
import type { CodeHighlighter } from './highlight';

/** What Markdown needs from around it. */
export interface MarkdownSurroundings {
  readonly highlighter: CodeHighlighter | null;
  /** Opens a file named in prose; absent where files cannot be opened. */
  readonly onOpenFile?: (path: string, line?: number) => void;
}

/** Without a provider code stays plain and paths are not links. */
export const MarkdownContext = createContext<MarkdownSurroundings>({ highlighter: null });
