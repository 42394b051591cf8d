import { Command } from 'cmdk';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { allItems } from '../../shared/transcript';
import { askToGoBack } from '../store/restore';
import { currentTranscript } from '../store/screen';
import { useLathe, useScreen } from '../store/use-lathe';
import { cx } from '../ui/css';
import { FocusBack, focusHome } from '../ui/Dialog';
import { contentsOf } from './contents';

/** Prompts of the session on screen, the newest first: the chosen one comes back to be changed and sent again. */
export function RewindPicker({ onClose }: { readonly onClose: () => void }) {
  const lathe = useLathe();
  const transcript = useScreen(currentTranscript);
  const prompts = useMemo(
    () =>
      (transcript === null ? [] : allItems(transcript))
        .flatMap((item) => (item.kind === 'prompt' ? [{ id: item.id, text: item.text }] : []))
        .reverse(),
    [transcript],
  );
  const goBack = (id: string) => {
    onClose();
    if (transcript === null) return;
    void askToGoBack(lathe, transcript.sessionId, id).then((gone) => gone && focusHome());
  };
  return (
    <PromptList
      label="Go back to an earlier prompt"
      placeholder="Go back to before which prompt?"
      prompts={prompts}
      onPick={goBack}
      onClose={onClose}
      footer="The conversation goes on from there. What came after stays in the log. Files that changed since can go back too: you are asked first."
    />
  );
}

/** The table of contents of the session on screen, from its beginning: the chosen line comes into view. */
export function ContentsPicker({ onClose }: { readonly onClose: () => void }) {
  const { store } = useLathe();
  const transcript = useScreen(currentTranscript);
  const lines = useMemo(
    () => (transcript === null ? [] : contentsOf(allItems(transcript))),
    [transcript],
  );
  const goTo = (id: string) => {
    onClose();
    const line = lines.find((one) => one.id === id);
    if (transcript === null || line === undefined) return;
    const { itemId } = line;
    const text = line.depth === 0 ? '' : line.text;
    store.setState({ revealed: { sessionId: transcript.sessionId, itemId, text } });
  };
  return (
    <PromptList
      label="Contents of the conversation"
      placeholder="Go to which part?"
      prompts={lines}
      onPick={goTo}
      onClose={onClose}
    />
  );
}

/** Returns the prompts that were sent in the project on screen, oldest first; empty until they are there. */
export function useProjectPrompts(): readonly string[] {
  const { ask } = useLathe();
  const project = useScreen((s) => s.opened?.path ?? '');
  const linked = useScreen((s) => s.link.kind === 'connected');
  const sent = useScreen((s) => s.sent);
  const [listed, setListed] = useState<{ project: string; prompts: readonly string[] }>(NOBODY);
  useEffect(() => {
    if (!linked || project === '') return;
    let wanted = true;
    void ask((client) => client.prompts.list({ project })).then((answer) => {
      if (wanted && answer.ok) setListed({ project, prompts: answer.value });
    });
    return () => {
      wanted = false;
    };
  }, [ask, project, linked, sent]);
  return listed.project === project ? listed.prompts : NOBODY.prompts;
}

const NOBODY: { readonly project: string; readonly prompts: readonly string[] } = {
  project: '',
  prompts: [],
};

/** Prompts of the project, the newest first, narrowed by the draft: the chosen one takes its place. */
export function PromptSearch({ onClose }: { readonly onClose: () => void }) {
  const { drafts, current } = useLathe();
  const listed = useProjectPrompts();
  const prompts = useMemo(
    () => listed.map((text, at) => ({ id: `prompt-${at}`, text })).reverse(),
    [listed],
  );
  const take = (id: string) => {
    onClose();
    const text = prompts.find((prompt) => prompt.id === id)?.text;
    if (text !== undefined) drafts.set(current.draftKey(), text);
    requestAnimationFrame(focusHome);
  };
  return (
    <PromptList
      label="Find a prompt sent before"
      placeholder="Which prompt?"
      start={drafts.get(current.draftKey()).trim().slice(0, MAX_START)}
      prompts={prompts}
      onPick={take}
      onClose={onClose}
    />
  );
}

/** A longer draft is no search. Characters. */
const MAX_START = 200;

/** Lists of prompts show this many at once; typing finds the others. */
const MAX_SHOWN = 100;

interface ListedPrompt {
  readonly id: string;
  readonly text: string;
  /** Headings stand under their prompt, the deeper the further in. */
  readonly depth?: number;
}

/** The space before a line, by its depth. */
const INDENTS = ['', 'pl-6 text-ink-2', 'pl-9 text-ink-2', 'pl-12 text-ink-2'] as const;

/** A list of prompts to choose from. Type to narrow it. */
function PromptList({
  label,
  placeholder,
  start = '',
  prompts,
  onPick,
  onClose,
  footer,
}: {
  readonly label: string;
  readonly placeholder: string;
  /** Words to begin with. */
  readonly start?: string;
  readonly prompts: readonly ListedPrompt[];
  readonly onPick: (id: string) => void;
  readonly onClose: () => void;
  readonly footer?: ReactNode;
}) {
  const [typed, setTyped] = useState(start);
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = prompts.filter(({ text }) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  });
  return (
    <Command.Dialog
      open
      onOpenChange={onClose}
      label={label}
      loop
      shouldFilter={false}
      overlayClassName="fixed inset-0 z-40 animate-appear bg-scrim"
      contentClassName="fixed top-[14vh] left-1/2 z-40 w-[calc(100vw-32px)] max-w-[600px] -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-dialog outline-none"
    >
      <FocusBack />
      <Command.Input
        value={typed}
        onValueChange={setTyped}
        placeholder={placeholder}
        data-focus="frame"
        className="h-12 w-full border-b border-line bg-transparent px-4 text-body"
      />
      <Command.List label="Prompts" className="max-h-[min(420px,60vh)] overflow-y-auto p-1.5">
        {fits.slice(0, MAX_SHOWN).map(({ id, text, depth = 0 }) => (
          <Command.Item
            key={id}
            value={id}
            onSelect={onPick}
            className={cx(
              'select-none rounded-md px-2.5 py-1.5 text-code data-[selected=true]:bg-selected',
              INDENTS[depth],
            )}
          >
            <span className="line-clamp-3 whitespace-pre-wrap [overflow-wrap:anywhere]">
              {text.trim() === '' ? 'A message without words' : text.slice(0, 600)}
            </span>
          </Command.Item>
        ))}
      </Command.List>
      {fits.length > 0 ? null : (
        <p role="status" className="px-4 pb-4 text-center text-code text-ink-3">
          {prompts.length === 0 ? 'Nothing was said yet.' : 'No prompt has these words.'}
        </p>
      )}
      {fits.length <= MAX_SHOWN ? null : (
        <p role="status" className="border-t border-line px-4 py-2 text-meta text-ink-3">
          {`${fits.length - MAX_SHOWN} more: type to find them.`}
        </p>
      )}
      {footer === undefined ? null : (
        <p className="border-t border-line px-4 py-2 text-meta text-ink-3">{footer}</p>
      )}
    </Command.Dialog>
  );
}
