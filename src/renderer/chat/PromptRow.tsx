import { Ellipsis } from 'lucide-react';
import { memo, useState } from 'react';
import type { Item } from '../../shared/transcript';
import { CopyButton } from '../ui/CopyButton';
import { IconButton } from '../ui/IconButton';
import { Menu, type MenuEntry } from '../ui/Menu';

export type PromptItem = Extract<Item, { kind: 'prompt' }>;

/** More acts for a prompt (rewind here, fork from here); the host of the conversation knows which it can do. */
export type PromptMenu = (prompt: PromptItem) => readonly MenuEntry[];

/** A prompt longer than this is folded; large pastes must not push the answer away. */
const FOLD_LINES = 14;
const FOLD_CHARACTERS = 1600;

/** What the person said, in a quiet box. */
export const PromptRow = memo(function PromptRow({
  prompt,
  menu,
}: {
  readonly prompt: PromptItem;
  readonly menu: PromptMenu | undefined;
}) {
  const [open, setOpen] = useState(false);
  const short = folded(prompt.text);
  const entries = menu?.(prompt) ?? [];
  return (
    <article
      aria-label="You"
      className="group/prompt relative rounded-md border border-line bg-sunken py-2 pr-16 pl-3"
    >
      <div className="max-w-(--prose-width) whitespace-pre-wrap [overflow-wrap:anywhere]">
        {open || short === null ? prompt.text : short}
      </div>
      {short === null ? null : (
        <button
          type="button"
          className="mt-1 rounded-sm text-meta text-accent hover:underline"
          onClick={() => setOpen(!open)}
        >
          {open ? 'Show less' : `Show all ${prompt.text.length.toLocaleString('en-US')} characters`}
        </button>
      )}
      <div className="absolute top-1.5 right-1.5 flex opacity-0 transition-opacity duration-100 group-focus-within/prompt:opacity-100 group-hover/prompt:opacity-100 has-[[data-state=open]]:opacity-100">
        <CopyButton text={() => prompt.text} label="Copy prompt" />
        {entries.length === 0 ? null : (
          <Menu
            align="end"
            trigger={<IconButton icon={Ellipsis} label="More for this prompt" />}
            entries={entries}
          />
        )}
      </div>
    </article>
  );
});

/** The beginning of a long prompt, or null when it is short enough to show whole. */
export function folded(text: string): string | null {
  const lines = text.split('\n', FOLD_LINES + 1);
  if (lines.length <= FOLD_LINES && text.length <= FOLD_CHARACTERS) return null;
  return `${lines.slice(0, FOLD_LINES).join('\n').slice(0, FOLD_CHARACTERS)} …`;
}
