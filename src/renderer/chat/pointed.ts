import {
  ClipboardCopy,
  ExternalLink,
  FileText,
  Link,
  MessageSquarePlus,
  SquareArrowOutUpRight,
} from 'lucide-react';
import { mentionText } from '../../shared/project-file';
import { fenced, quoted } from '../ui/format';
import type { MenuEntry } from '../ui/Menu';

/** The things under the pointer that a context menu acts on; absent where there is none. */
export interface Pointed {
  readonly selection?: string;
  readonly link?: string;
  readonly path?: string;
  /** A block of code, the output of a tool, or a prompt as a whole. */
  readonly block?: { readonly kind: 'code' | 'output' | 'prompt'; readonly text: string };
}

/** The actions of a context menu in the conversation. */
export interface PointedActions {
  copy(text: string): void;
  /** Appends to the draft and goes there. */
  addToPrompt(text: string): void;
  openLink(target: string): void;
  /** Shows a file in the viewer. */
  showFile(path: string): void;
  /** Opens a file in the user's editor. */
  editFile(path: string): void;
}

/** Reads what is at an element: `data-path`, and `data-block` for code, output and prompts. */
export function pointedAt(element: Element, selection: string): Pointed {
  const link = element.closest('a[href]')?.getAttribute('href');
  const path = around(element, '[data-path]')?.dataset['path'];
  const block = around(element, '[data-block]');
  const kind = block?.dataset['block'];
  const text = block?.textContent ?? '';
  return {
    ...(selection.trim() === '' ? {} : { selection }),
    ...(link ? { link } : {}),
    ...(path ? { path } : {}),
    ...((kind === 'code' || kind === 'output' || kind === 'prompt') && text !== ''
      ? { block: { kind, text } }
      : {}),
  };
}

/**
 * Finds what an element is in. The menu key points at what has the focus, such as the area in which code scrolls: that
 * stands for the one thing in it.
 */
function around(element: Element, selector: string): HTMLElement | null {
  const outer = element.closest<HTMLElement>(selector);
  if (outer !== null || element !== document.activeElement) return outer;
  const [only = null, ...more] = element.querySelectorAll<HTMLElement>(selector);
  return more.length === 0 ? only : null;
}

const ADDS = {
  code: 'Add code to prompt',
  output: 'Add output to prompt',
  prompt: 'Add to the message box',
} as const;

/** Returns the entries of the menu, the most specific first; empty when there is nothing to act on. */
export function pointedEntries(pointed: Pointed, act: PointedActions): readonly MenuEntry[] {
  const { selection, link, path, block } = pointed;
  const item = (
    id: string,
    label: string,
    icon: typeof Link,
    onSelect: () => void,
  ): readonly MenuEntry[] => [{ kind: 'item', id, label, icon, onSelect }];
  const groups: readonly (readonly MenuEntry[])[] = [
    selection === undefined
      ? []
      : [
          ...item('copy', 'Copy', ClipboardCopy, () => act.copy(selection)),
          ...item('add', 'Add to prompt', MessageSquarePlus, () =>
            act.addToPrompt(quoted(selection)),
          ),
        ],
    link === undefined
      ? []
      : [
          ...item('open-link', 'Open link', ExternalLink, () => act.openLink(link)),
          ...item('copy-link', 'Copy link', Link, () => act.copy(link)),
        ],
    path === undefined
      ? []
      : [
          ...item('show-file', 'Open file', FileText, () => act.showFile(path)),
          ...item('edit-file', 'Open in editor', SquareArrowOutUpRight, () => act.editFile(path)),
          ...item('copy-path', 'Copy path', ClipboardCopy, () => act.copy(path)),
          ...item('add-path', 'Add file to prompt', MessageSquarePlus, () =>
            act.addToPrompt(`${mentionText(path)} `),
          ),
        ],
    block === undefined || selection !== undefined
      ? []
      : [
          ...item(`copy-${block.kind}`, `Copy ${block.kind}`, ClipboardCopy, () =>
            act.copy(block.text),
          ),
          ...item(`add-${block.kind}`, ADDS[block.kind], MessageSquarePlus, () =>
            act.addToPrompt(block.kind === 'prompt' ? block.text : fenced(block.text)),
          ),
        ],
  ];
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, at): readonly MenuEntry[] =>
      at === 0 ? group : [{ kind: 'separator', id: `line ${at}` }, ...group],
    );
}
