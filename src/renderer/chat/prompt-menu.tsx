import { type RefObject, useEffect, useState } from 'react';
import type { SlashChoice } from '../commands/slash';
import { ChoiceList, useChoiceMenu } from './ChoiceList';
import {
  completion,
  type FileChoice,
  FileLine,
  type FindFiles,
  fileRemark,
  mentionAt,
  useFileMenu,
} from './file-menu';

interface PromptMenuOptions {
  readonly draft: string;
  /** The commands that fit the draft, while the name of one is being typed. */
  readonly commands: readonly SlashChoice[];
  /** Finds files for mentions (`@`). Without it none are offered. */
  readonly findFiles: FindFiles | undefined;
  /** The text field of the message box. */
  readonly box: RefObject<HTMLTextAreaElement | null>;
  readonly onDraft: (text: string) => void;
  /** A command was taken: it is sent. */
  readonly onCommand: (name: string) => void;
  /** A choice was to be taken where none fits: what stands in the box is sent. */
  readonly onWords: () => void;
}

/** The menu above the message box: of commands while one is being typed, else of files for a mention. */
export type PromptMenu = ReturnType<typeof usePromptMenu>;

/** Keeps the menu of the message box. The caller tells it of input and of the caret. */
export function usePromptMenu({
  draft,
  commands,
  findFiles,
  box,
  onDraft,
  onCommand,
  onWords,
}: PromptMenuOptions) {
  /** The last input, while the caret still stands behind it: only what is being typed opens the list of files. */
  const [typed, setTyped] = useState<{ text: string; caret: number } | null>(null);
  const slash = useChoiceMenu(
    draft,
    commands.map((command) => ({ ...command, id: `slash-${command.name}` })),
  );
  /** A choice made before the host has answered for what was typed: it waits, until something else is typed. */
  const [awaited, setAwaited] = useState<{ draft: string; how: 'complete' | 'take' } | null>(null);
  const files = useFileMenu(
    typed?.text !== draft || slash.choices.length > 0 ? null : mentionAt(draft, typed.caret),
    findFiles,
  );
  const menu = slash.choices.length > 0 ? slash : files;

  const complete = ({ name, argument }: SlashChoice) =>
    onDraft(argument === undefined ? `/${name}` : `/${name} `);
  const mention = (choice: FileChoice, goOn: boolean) => {
    if (files.mention === null || box.current === null) return;
    box.current.setSelectionRange(files.mention.from, files.mention.to);
    // The one way to change a text field that its own undo knows of.
    document.execCommand('insertText', false, completion(choice, goOn));
  };
  /** Takes the marked choice, or completes what was typed to it. */
  const pick = (how: 'complete' | 'take') => {
    if (slash.marked && how === 'complete') complete(slash.marked);
    else if (slash.marked) onCommand(slash.marked.name);
    else if (files.pending) setAwaited({ draft, how });
    else if (files.marked) mention(files.marked, how === 'complete');
    else if (how === 'take') onWords();
  };
  useEffect(() => {
    if (awaited === null || (files.pending && awaited.draft === draft)) return;
    setAwaited(null);
    if (awaited.draft === draft) pick(awaited.how);
  });

  return {
    isOpen: menu.choices.length > 0 || files.pending,
    move: menu.move,
    close: menu.close,
    pick,
    /** Notes what was typed, and where the caret stands behind it. */
    typed: (text: string, caret: number) => setTyped({ text, caret }),
    /** Notes the selection: a caret that went elsewhere types no mention. */
    selected: (start: number, end: number) => {
      if (start !== end || end !== typed?.caret) setTyped(null);
    },
    /** Notes that the text field lost the focus. */
    left: () => setTyped(null),
    /** Tells assistive technology of the marked choice: attributes of the text field. */
    described:
      menu.marked === undefined
        ? {}
        : {
            'aria-controls': slash.marked ? SLASH_LIST : FILE_LIST,
            'aria-activedescendant': menu.marked.id,
          },
    ...{ slash, files, mention, onCommand },
  };
}

const SLASH_LIST = 'slash-commands';
const FILE_LIST = 'mention-files';

/** Shows the choices of a menu that is open. */
export function PromptMenuList({
  menu: { slash, files, mention, onCommand },
}: {
  readonly menu: PromptMenu;
}) {
  return (
    <>
      {slash.choices.length === 0 ? null : (
        <ChoiceList
          id={SLASH_LIST}
          label="Commands"
          menu={slash}
          line={(choice) => <SlashLine choice={choice} />}
          onPick={({ name }) => onCommand(name)}
        />
      )}
      {files.choices.length === 0 && !files.pending ? null : (
        <ChoiceList
          id={FILE_LIST}
          label="Files"
          menu={files}
          line={(file) => <FileLine file={file} />}
          onPick={(file) => mention(file, false)}
          footer={fileRemark(files)}
        />
      )}
    </>
  );
}

/** One command of the menu. */
function SlashLine({ choice: { name, argument, title } }: { readonly choice: SlashChoice }) {
  return (
    <>
      <span className="shrink-0 font-mono text-ink">/{name}</span>
      {argument === undefined ? null : (
        <span className="shrink-0 text-meta text-ink-3">{argument}</span>
      )}
      <span className="min-w-0 flex-1 truncate text-right text-ink-2">{title}</span>
    </>
  );
}
