import { FileText } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type {
  FoundNote,
  LoadedMemoryFile,
  MemoryOverview,
  OutsideImport,
} from '../../shared/memory';
import type { Project } from '../../shared/settings';
import { allowImport, listMemory } from '../store/memory';
import { copyFileLocation, reported, reportFault } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { OpenFileButton } from '../tool-cards/CardFrame';
import { Button } from '../ui/Button';
import { dataSize, plural, tildePath } from '../ui/format';
import { Badge } from '../ui/Marks';
import { EmptyState } from '../ui/Notice';
import { VisiblePath, VisibleText } from '../ui/VisibleText';
import { ProblemList } from './ProjectPanel';

/** Shows what new sessions begin with: each file, how large it is, and what was left out and why. */
export function MemoryPanel({ project }: { readonly project: Project }) {
  const lathe = useLathe();
  const home = useScreen((s) => s.info?.home ?? '');
  const [overview, setOverview] = useState<MemoryOverview | null>(null);
  const look = useCallback(async () => {
    const listed = await listMemory(lathe, project.path);
    if (listed.ok) setOverview(listed.value);
    else reportFault(lathe.store, listed.error);
  }, [lathe, project.path]);
  useEffect(() => void look(), [look]);
  if (overview === null) return <p className="text-code text-ink-3">Looking for memory files…</p>;
  const { files, notes, leftOut, outside } = overview;
  const now = files.filter(({ globs }) => globs === undefined);
  const waiting = files.filter(({ globs }) => globs !== undefined);
  const allow = async ({ path, allowed }: OutsideImport) => {
    reported(lathe.store, await allowImport(lathe, project.path, path, !allowed));
    await look();
  };
  return (
    <div className="flex flex-col gap-5">
      {files.length === 0 ? (
        <EmptyState
          icon={FileText}
          title="No memory yet"
          text={
            <>
              What stands in <code>CLAUDE.md</code> or <code>AGENTS.md</code> goes to the model with
              every session.
            </>
          }
        />
      ) : (
        <FileList
          title={`Every new session begins with ${plural(now.length, 'file')}, about ${sum(now)} tokens`}
          files={now}
          home={home}
        />
      )}
      {waiting.length === 0 ? null : (
        <FileList title="Rules that wait for their files" files={waiting} home={home} />
      )}
      {notes.length === 0 ? null : <NoteList notes={notes} home={home} />}
      {outside.length === 0 ? null : (
        <section aria-label="Imports from outside the project">
          <h3 className="mb-1 text-meta font-medium text-ink-3">
            Imports from outside the project
          </h3>
          <ul className="flex flex-col gap-2">
            {outside.map((one) => (
              <li key={one.path} className="flex items-center gap-2 text-code">
                <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                  <code className="text-[12.5px]">
                    <VisiblePath text={tildePath(one.path, home)} />
                  </code>
                  <span className="block text-meta text-ink-3">
                    asked for by <VisiblePath text={tildePath(one.importedBy, home)} />
                  </span>
                </span>
                <Badge tone={one.allowed ? 'done' : 'waits'}>
                  {one.allowed ? 'allowed' : 'left out'}
                </Badge>
                <Button
                  size="sm"
                  aria-label={`${one.allowed ? 'Leave out' : 'Allow here'} ${one.path}`}
                  onClick={() => void allow(one)}
                >
                  {one.allowed ? 'Leave out' : 'Allow here'}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {leftOut.length === 0 ? null : (
        <section aria-label="Left out">
          <h3 className="mb-1 text-meta font-medium text-ink-3">Left out, or cut</h3>
          <ProblemList problems={leftOut} home={home} />
        </section>
      )}
      <p className="text-meta text-ink-3">
        Files in subfolders join when something there is read. Begin a message with <code>#</code>{' '}
        to add a line.
      </p>
    </div>
  );
}

const sum = (files: readonly LoadedMemoryFile[]): string =>
  files.reduce((total, { tokens }) => total + tokens, 0).toLocaleString('en');

const KINDS: Readonly<Record<LoadedMemoryFile['kind'], string>> = {
  managed: 'this machine',
  user: 'you, everywhere',
  project: 'project',
  local: 'you, in this project',
  auto: 'notes',
  import: 'import',
};

interface NoteListProps {
  readonly notes: readonly FoundNote[];
  readonly home: string;
}

/** Notes about topics: the model gets one only where a prompt may need it. */
function NoteList({ notes, home }: NoteListProps) {
  return (
    <section aria-label="Notes">
      <h3 className="mb-1 text-meta font-medium text-ink-3">
        {plural(notes.length, 'note')}, brought in when a prompt may need them
      </h3>
      <ul className="rounded-md border border-line">
        {notes.map(({ path, description, age, size }) => (
          <FileRow key={path} path={path} home={home} size={dataSize(size)}>
            {description === '' ? age : <VisibleText text={`${description} · ${age}`} />}
          </FileRow>
        ))}
      </ul>
    </section>
  );
}

interface ListProps {
  readonly title: string;
  readonly files: readonly LoadedMemoryFile[];
  readonly home: string;
}

/** Memory files in the order in which the model gets them. */
function FileList({ title, files, home }: ListProps) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-meta font-medium text-ink-3">{title}</h3>
      <ul className="rounded-md border border-line">
        {files.map(({ path, kind, importedBy, tokens, globs }) => (
          <FileRow
            key={path}
            path={path}
            home={home}
            size={`${tokens.toLocaleString('en')} tokens`}
          >
            {KINDS[kind]}
            {importedBy === undefined ? null : (
              <>
                {' of '}
                <VisiblePath text={tildePath(importedBy, home)} />
              </>
            )}
            {globs === undefined ? null : (
              <>
                {' for '}
                <VisibleText text={globs.join(', ')} />
              </>
            )}
          </FileRow>
        ))}
      </ul>
    </section>
  );
}

interface FileRowProps {
  readonly path: string;
  readonly home: string;
  readonly size: string;
  /** The role of the file. */
  readonly children: ReactNode;
}

/** Shows one file: its path, what it is, its size, and a button that opens it. */
function FileRow({ path, home, size, children }: FileRowProps) {
  const lathe = useLathe();
  return (
    <li className="flex items-center gap-2 border-line px-3 py-1.5 text-code not-first:border-t">
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <code className="text-[12.5px]">
          <VisiblePath text={tildePath(path, home)} />
        </code>
        <span className="block text-meta text-ink-3">{children}</span>
      </span>
      <span className="shrink-0 text-meta text-ink-3 tabular-nums">{size}</span>
      <OpenFileButton
        path={path}
        line={1}
        onAction={() => void copyFileLocation(lathe.store, path, 1)}
      />
    </li>
  );
}
