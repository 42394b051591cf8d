import { type ReactNode, useMemo } from 'react';
import { MarkdownContext } from '../chat/CodeBlock';
import { readImageFile, showFile } from '../store/files';
import { useLathe } from '../store/use-lathe';

/** Makes files named in prose below it links to the viewer, and shows images of the project. */
export function FileLinks({ children }: { readonly children: ReactNode }) {
  const lathe = useLathe();
  const surroundings = useMemo(
    () => ({
      loadImage: (path: string, signal: AbortSignal) => readImageFile(lathe, path, signal),
      onOpenFile: (path: string, line?: number) => showFile(lathe, path, line),
    }),
    [lathe],
  );
  return <MarkdownContext value={surroundings}>{children}</MarkdownContext>;
}
