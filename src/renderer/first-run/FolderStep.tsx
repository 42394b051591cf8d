import { Folder, FolderOpen, FolderSearch, Play, X } from 'lucide-react';
import { type DragEvent, useState } from 'react';
import type { Fault } from '../../shared/result';
import { folderName } from '../sessions/group-sessions';
import { forgetProject, openDemoProject, openProject } from '../store/projects';
import { reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { IconButton } from '../ui/Button';
import { cx } from '../ui/css';
import { tildePath } from '../ui/format';
import { Spinner } from '../ui/Marks';
import { Notice } from '../ui/Notice';
import { FolderBrowser } from './FolderBrowser';
import { ChoiceCard, StepFrame } from './StepFrame';

/** Step one: which folder. The offline demo is offered here too, and first when it was asked for. */
export function FolderStep() {
  const lathe = useLathe();
  const demoFirst = useScreen((s) => s.info?.demoFirst ?? false);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const startDemo = async () => {
    setBusy(true);
    const opened = await openDemoProject(lathe);
    setBusy(false);
    setFault(opened.ok ? null : opened.error);
    if (opened.ok) lathe.store.setState({ wantsDemo: true });
  };
  const demo = (
    <div className="flex flex-col gap-3">
      {fault === null ? null : (
        <Notice level="error" title={fault.message}>
          {fault.fix}
        </Notice>
      )}
      <ChoiceCard
        icon={Play}
        title="Try the offline demo"
        text="A scripted model fixes a bug in a small sample project. No key, no network."
        primary={demoFirst}
        busy={busy}
        onChoose={startDemo}
      />
    </div>
  );
  return (
    <StepFrame
      step={0}
      title="Which folder shall we work in?"
      text="Lathe reads, changes and runs things in one folder at a time. Nothing runs until you say so."
    >
      <div className="flex flex-col gap-6">
        {demoFirst ? demo : null}
        <FolderChooser />
        {demoFirst ? null : demo}
      </div>
    </StepFrame>
  );
}

const HIDDEN_PATH: Fault = {
  code: 'hidden_path',
  message: 'Your browser keeps the path of dropped folders to itself.',
  fix: 'Type the path or browse to the folder instead.',
};

/** Every way to a folder: recent ones, the system's dialog or the browser in the page, and dropping one. */
export function FolderChooser({ onOpened }: { readonly onOpened?: () => void }) {
  const lathe = useLathe();
  const recents = useScreen((s) => s.app?.recents ?? []);
  const native = useScreen((s) => s.info?.nativeFolderDialog ?? false);
  const demoFirst = useScreen((s) => s.info?.demoFirst ?? false);
  const [opening, setOpening] = useState<string | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [browsing, setBrowsing] = useState(false);
  const open = async (path: string) => {
    setOpening(path);
    const opened = await openProject(lathe, path);
    setOpening(null);
    setFault(opened.ok ? null : opened.error);
    if (opened.ok) onOpened?.();
  };
  const pick = async () => {
    const picked = await lathe.ask((client) => client.folders.pick());
    setFault(picked.ok ? null : picked.error);
    if (picked.ok && picked.value !== null) await open(picked.value);
  };
  const drop = useFolderDrop((path) => {
    if (path === null) setFault(HIDDEN_PATH);
    else void open(path);
  });
  const inPage = !native && (browsing || (recents.length === 0 && !demoFirst));
  return (
    <section
      aria-label="Choose a folder"
      {...drop.handlers}
      className={cx(
        'flex flex-col gap-3 rounded-lg',
        drop.over && 'outline-2 outline-offset-8 outline-accent outline-dashed',
      )}
    >
      {fault === null ? null : (
        <Notice level="error" title={fault.message} onDismiss={() => setFault(null)}>
          {fault.fix}
        </Notice>
      )}
      {native ? (
        <ChoiceCard
          icon={FolderOpen}
          title="Choose a folder…"
          text="Or drop one anywhere on this window"
          primary={!demoFirst}
          busy={opening !== null}
          onChoose={pick}
        />
      ) : null}
      {recents.length > 0 ? (
        <RecentFolders
          paths={recents}
          opening={opening}
          onOpen={open}
          onForget={async (path) => {
            reported(lathe.store, await forgetProject(lathe, path));
          }}
        />
      ) : null}
      {inPage ? <FolderBrowser busy={opening !== null} onOpen={open} /> : null}
      {native || inPage ? null : (
        <ChoiceCard
          icon={FolderSearch}
          title="Browse for a folder"
          text="On the machine Lathe runs on"
          primary={!demoFirst && recents.length === 0}
          onChoose={() => setBrowsing(true)}
        />
      )}
    </section>
  );
}

/** Number of recent folders listed. */
const SHOWN = 6;

/** The folders opened last. × takes one off the list and leaves the folder alone. */
function RecentFolders({
  paths,
  opening,
  onOpen,
  onForget,
}: {
  readonly paths: readonly string[];
  readonly opening: string | null;
  readonly onOpen: (path: string) => void;
  readonly onForget: (path: string) => void;
}) {
  const home = useScreen((s) => s.info?.home ?? '');
  return (
    <div>
      <h2 className="mb-1 text-meta font-medium text-ink-3">Recent</h2>
      <ul className="overflow-hidden rounded-lg border border-line bg-raised">
        {paths.slice(0, SHOWN).map((path) => (
          <li
            key={path}
            className="group flex items-center border-line not-first:border-t hover:bg-hover"
          >
            <button
              type="button"
              disabled={opening !== null}
              onClick={() => onOpen(path)}
              className="flex min-w-0 flex-1 items-center gap-3 px-4 py-2 text-left"
            >
              {opening === path ? (
                <Spinner size={15} />
              ) : (
                <Folder size={15} aria-hidden className="shrink-0 text-ink-3" />
              )}
              <span className="shrink-0 text-code font-medium">{folderName(path)}</span>
              <span className="min-w-0 flex-1 truncate text-right font-mono text-meta text-ink-3">
                {tildePath(path, home)}
              </span>
            </button>
            <IconButton
              icon={X}
              label={`Take ${folderName(path)} off the list`}
              className="mr-2 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
              onClick={() => onForget(path)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Handlers for an area that takes a dropped folder. */
interface FolderDrop {
  /** A drag is over the area. */
  readonly over: boolean;
  readonly handlers: {
    onDragOver(event: DragEvent): void;
    onDragLeave(event: DragEvent): void;
    onDrop(event: DragEvent): void;
  };
}

/**
 * Takes one dropped folder. Only Electron knows real paths; in a browser `onPath` gets null, since browsers
 * keep the path of what is dropped to themselves.
 */
function useFolderDrop(onPath: (path: string | null) => void): FolderDrop {
  const { bridge } = useLathe();
  const [over, setOver] = useState(false);
  const carriesFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  return {
    over,
    handlers: {
      onDragOver(event) {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave(event) {
        if (event.currentTarget.contains(event.relatedTarget as Node | null)) return;
        setOver(false);
      },
      onDrop(event) {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        setOver(false);
        const file = event.dataTransfer.files[0];
        onPath(file && bridge ? bridge.getPathForFile(file) : null);
      },
    },
  };
}
