import { Bot, File, Folder, Plug, SquareTerminal } from 'lucide-react';
import { useEffect, useState } from 'react';
import {
  type FileFindings,
  type FoundFile,
  mentionText,
  openMention,
  type SessionMention,
  unquotedPath,
} from '../../shared/project-file';
import type { Result } from '../../shared/result';
import { type TerminalInfo, terminalMentions } from '../../shared/terminal';
import { PlainName } from '../ui/VisibleText';
import { type Choice, type ChoiceMenu, useChoiceMenu } from './ChoiceList';

/** Asks the host for files and folders that fit a text. */
export type FindFiles = (text: string, signal: AbortSignal) => Promise<Result<FileFindings>>;

/** A mention that is being typed: its place in the draft, and the path so far. */
export interface OpenMention {
  /** Place of the `@`. */
  readonly from: number;
  /** End of the word that the mention is to replace. */
  readonly to: number;
  readonly path: string;
}

/** Returns the mention that the caret stands in, or null. Pure. */
export function mentionAt(draft: string, caret: number): OpenMention | null {
  const before = draft.slice(Math.max(0, caret - MAX_TYPED), caret);
  const found = /(?<=^|[\s([{])@(?:"((?:\\"|[^"\n])*)|([^\s"]*))$/u.exec(before);
  if (found === null) return null;
  const [whole, quoted, bare = ''] = found;
  const rest = quoted === undefined ? /^[^\s"]*/ : /^(?:\\"|[^"\n])*"?/;
  const after = rest.exec(draft.slice(caret))?.[0] ?? '';
  return {
    from: caret - whole.length,
    to: caret + after.length,
    path: quoted === undefined ? bare : unquotedPath(quoted),
  };
}

/** No longer path is looked for. Characters. */
const MAX_TYPED = 500;

/** A file or folder to mention. */
export interface FileChoice extends Choice, FoundFile {}

/** The list of files over the composer. `pending`: the host has not answered for what is typed yet. */
export interface FileMenu extends ChoiceMenu<FileChoice> {
  readonly mention: OpenMention | null;
  readonly pending: boolean;
  readonly partial: boolean;
}

interface Answer {
  readonly text: string;
  readonly found: readonly FoundFile[];
  readonly partial: boolean;
}

const NOTHING: readonly FileChoice[] = [];

/** Looks for what is being mentioned as it is typed. What was found before stays on screen until there is an answer. */
export function useFileMenu(mention: OpenMention | null, find: FindFiles | undefined): FileMenu {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const text = mention?.path ?? null;
  useEffect(() => {
    if (text === null || find === undefined) return setAnswer(null);
    const control = new AbortController();
    void find(text, control.signal).then((findings) => {
      if (control.signal.aborted) return;
      const { found, partial } = findings.ok ? findings.value : { found: [], partial: false };
      setAnswer({ text, found, partial });
    });
    return () => control.abort();
  }, [text, find]);
  const open = text !== null && find !== undefined;
  const choices =
    open && answer !== null
      ? answer.found.map((file): FileChoice => ({ ...file, id: `file-${file.path}` }))
      : NOTHING;
  const menu = useChoiceMenu(text ?? '', choices);
  const pending = open && !menu.closed && answer?.text !== text;
  return { ...menu, mention, pending, partial: answer?.partial ?? false };
}

/**
 * Returns the draft's text for a choice. A folder stays open to go on in while `goOn` is set; everything else ends
 * with a space.
 */
export function completion({ path }: FoundFile, goOn: boolean): string {
  if (!goOn || !path.endsWith('/')) return `${mentionText(path)} `;
  return /[\s"]/.test(path) ? openMention(path) : `@${path}`;
}

/** Things besides files that a prompt can mention. */
interface Mentionable {
  readonly terminals: readonly TerminalInfo[];
  readonly mentions: readonly SessionMention[];
}

/**
 * Returns the terminals, sub-agents and resources that fit what is typed behind the `@`, each name once: by any part of
 * their name, or by the word before it. `near` are those whose name begins so. Pure.
 */
export function otherMentions(
  typed: string,
  { terminals, mentions }: Mentionable,
): { readonly near: readonly FoundFile[]; readonly far: readonly FoundFile[] } {
  const paths = terminalMentions(terminals);
  const all = [
    ...terminals.map((one) => ({
      path: paths.get(one.id) ?? '',
      detail: one.endedAt === undefined ? 'what it shows' : 'what it showed; it has ended',
    })),
    ...mentions,
  ];
  const wanted = typed.toLowerCase();
  const names = new Set<string>();
  const fitting = all.flatMap(({ path, detail }) => {
    const at = path.toLowerCase().indexOf(wanted);
    if (at < 0 || names.has(path)) return [];
    names.add(path);
    return [{ path, detail, marks: Array.from(wanted, (_, n) => at + n) }];
  });
  const isNear = ({ path, marks: [at = 0] }: FoundFile) =>
    wanted !== '' && (at === 0 || at === path.indexOf(':') + 1);
  return { near: fitting.filter(isNear), far: fitting.filter((one) => !isNear(one)) };
}

const OTHERS = [
  ['agent:', Bot],
  ['terminal:', SquareTerminal],
] as const;

/** One file or folder: its name, the folder it is in, and which characters were typed. */
export function FileLine({ file }: { readonly file: FoundFile }) {
  const { path, marks, detail } = file;
  if (detail !== undefined) {
    const Other = OTHERS.find(([prefix]) => path.startsWith(prefix))?.[1] ?? Plug;
    return (
      <>
        <Other size={14} aria-hidden className="shrink-0 self-center text-ink-3" />
        <span className="max-w-[70%] shrink-0 truncate font-mono text-ink">
          <Marked text={path} marks={marks} from={0} to={path.length} />
        </span>
        <span className="min-w-0 flex-1 truncate text-right text-meta text-ink-3">{detail}</span>
      </>
    );
  }
  const isFolder = path.endsWith('/');
  const nameAt = path.lastIndexOf('/', path.length - 2) + 1;
  const Icon = isFolder ? Folder : File;
  return (
    <>
      <Icon size={14} aria-hidden className="shrink-0 self-center text-ink-3" />
      <span className="max-w-[70%] shrink-0 truncate font-mono text-ink">
        <Marked text={path} marks={marks} from={nameAt} to={path.length} />
      </span>
      <span className="min-w-0 flex-1 truncate text-right font-mono text-meta text-ink-3">
        <Marked text={path} marks={marks} from={0} to={nameAt} />
      </span>
    </>
  );
}

/** A part of a text, with the characters at `marks` made to stand out. */
function Marked({
  text,
  marks,
  from,
  to,
}: {
  readonly text: string;
  readonly marks: readonly number[];
  readonly from: number;
  readonly to: number;
}) {
  const runs: { readonly at: number; readonly marked: boolean; end: number }[] = [];
  const set = new Set(marks);
  for (let at = from; at < to; at += 1) {
    const last = runs.at(-1);
    if (last?.marked === set.has(at)) last.end = at + 1;
    else runs.push({ at, marked: set.has(at), end: at + 1 });
  }
  return runs.map(({ at, marked, end }) =>
    marked ? (
      <b key={at} className="font-semibold text-accent">
        <PlainName text={text.slice(at, end)} />
      </b>
    ) : (
      <span key={at}>
        <PlainName text={text.slice(at, end)} />
      </span>
    ),
  );
}

/** Says what the list of files does not show by itself; null when it is all there is. */
export function fileRemark({ choices, pending, partial }: FileMenu): string | null {
  if (pending && choices.length === 0) return 'Looking through the files…';
  return partial ? 'This project has more files than are looked through.' : null;
}
