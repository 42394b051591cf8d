import { Command } from 'cmdk';
import { useEffect, useState } from 'react';
import { type FoundFile, mentionText } from '../../shared/project-file';
import { FileLine } from '../chat/file-menu';
import { findFiles, showFile } from '../store/files';
import { useLathe } from '../store/use-lathe';
import { Kbd } from '../ui/Button';
import { FocusBack, focusHome } from '../ui/Dialog';
import { modHeld, onApple } from '../ui/keys';

/** Finds a file of the project by parts of its path. Enter shows it, with ⌘ or Ctrl it goes into the prompt. */
export function FilePicker({ onClose }: { readonly onClose: () => void }) {
  const lathe = useLathe();
  const [typed, setTyped] = useState('');
  const [marked, setMarked] = useState('');
  const { path: text, line } = splitLine(typed);
  const { found, note, isFresh } = useFound(text);
  const first = found[0]?.path ?? '';
  const current = found.find(({ path }) => keyOf(path) === marked)?.path ?? first;
  const [wish, setWish] = useState<'show' | 'mention' | null>(null);
  const open = (path: string) => {
    onClose();
    showFile(lathe, path, line);
  };
  const mention = (path: string) => {
    onClose();
    lathe.current.addToDraft(`${mentionText(path)} `);
    requestAnimationFrame(focusHome);
  };
  // A key that came before the list did is for the list that comes.
  useEffect(() => {
    if (wish === null || !isFresh) return;
    setWish(null);
    if (first !== '') (wish === 'mention' ? mention : open)(first);
  });
  const type = (text: string) => {
    setTyped(text);
    setMarked('');
    setWish(null);
  };
  return (
    <Command.Dialog
      open
      onOpenChange={onClose}
      label="Find a file"
      loop
      shouldFilter={false}
      value={keyOf(current)}
      onValueChange={setMarked}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        const mentions = modHeld(event, onApple());
        // What is marked in a list that is up to date opens by itself.
        if (isFresh && !mentions) return;
        event.preventDefault();
        if (!isFresh) setWish(mentions ? 'mention' : 'show');
        else if (current !== '') mention(current);
      }}
      overlayClassName="fixed inset-0 z-40 animate-appear bg-scrim"
      contentClassName="fixed top-[14vh] left-1/2 z-40 w-[calc(100vw-32px)] max-w-[600px] -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-dialog outline-none"
    >
      <FocusBack />
      <Command.Input
        value={typed}
        onValueChange={type}
        placeholder="Which file? Add :12 for a line"
        data-focus="frame"
        className="h-12 w-full border-b border-line bg-transparent px-4 text-body"
      />
      <Command.List
        label="Files"
        className="max-h-[min(420px,60vh)] overflow-y-auto p-1.5 empty:hidden"
      >
        {found.map((file) => (
          <Command.Item
            key={file.path}
            value={keyOf(file.path)}
            onSelect={() => open(file.path)}
            className="flex min-h-8 select-none items-baseline gap-2 rounded-md px-2.5 py-1.5 text-code data-[selected=true]:bg-selected"
          >
            <FileLine file={file} />
          </Command.Item>
        ))}
      </Command.List>
      <p role="status" className="px-4 py-2 text-meta text-ink-3 empty:hidden">
        {note}
      </p>
      <p className="flex items-center gap-4 border-t border-line px-4 py-2 text-meta text-ink-3">
        <span className="flex items-center gap-1.5">
          <Kbd keys="enter" /> look at it
        </span>
        <span className="flex items-center gap-1.5">
          <Kbd keys="mod+enter" /> add to the prompt
        </span>
      </p>
    </Command.Dialog>
  );
}

/** Returns what the list knows a path by: it would cut off spaces at the ends. */
const keyOf = (path: string): string => `"${path}"`;

interface Found {
  readonly found: readonly FoundFile[];
  readonly note: string;
}

/** Follows what is typed; what was found before stays, no longer fresh, until there is an answer. */
function useFound(text: string): Found & { readonly isFresh: boolean } {
  const lathe = useLathe();
  const [state, setState] = useState<Found & { readonly of: string | null }>({
    ...{ found: [], note: 'Looking through the files…', of: null },
  });
  useEffect(() => {
    const control = new AbortController();
    void findFiles(lathe, { text, filesOnly: true }, control.signal).then((answer) => {
      if (control.signal.aborted) return;
      if (!answer.ok) return setState({ found: [], note: answer.error.message, of: text });
      const { found, partial } = answer.value;
      const note = found.length === 0 ? 'No file has that name.' : '';
      setState({ found, note: partial ? `${note} ${PARTIAL}`.trim() : note, of: text });
    });
    return () => control.abort();
  }, [lathe, text]);
  return { ...state, isFresh: state.of === text };
}

const PARTIAL = 'This project has more files than are looked through.';

/** Takes a line number off the end of what was typed (`auth.ts:12`). Pure. */
function splitLine(typed: string): {
  readonly path: string;
  readonly line: number | undefined;
} {
  const found = /^(.+?):(\d{1,7})?(?::\d*)?$/.exec(typed.trim());
  if (found === null) return { path: typed.trim(), line: undefined };
  const line = Number(found[2] ?? 0);
  return { path: found[1] ?? '', line: line === 0 ? undefined : line };
}
