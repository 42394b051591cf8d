import { CornerLeftUp, Folder } from 'lucide-react';
import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from 'react';
import { VList } from 'virtua';
import type { FolderListing } from '../../shared/contract';
import type { Fault } from '../../shared/result';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { cx } from '../ui/css';
import { Switch, TextField } from '../ui/Fields';
import { crumbsOf, typedPath } from './paths';

/**
 * Chooses a folder of the engine's machine inside the page: type a path, follow the crumbs, or walk the list
 * with ↑ ↓, Enter and Backspace.
 */
export function FolderBrowser({
  start,
  busy,
  onOpen,
}: {
  readonly start?: string;
  readonly busy: boolean;
  readonly onOpen: (path: string) => void;
}) {
  const browser = useFolderBrowser(start);
  const [showHidden, setShowHidden] = useState(false);
  const { listing, fault } = browser;
  const folders = (listing?.folders ?? []).filter((folder) => showHidden || !folder.hidden);
  const listId = useId();
  const up = listing?.parent ?? null;
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Backspace' && up !== null) browser.go(up);
    else if (!moveFocus(event)) return;
    event.preventDefault();
  };
  return (
    <div className="flex flex-col gap-3">
      <form
        className="flex items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          browser.go(browser.path);
        }}
      >
        <div className="min-w-0 flex-1">
          <TextField
            label="Path"
            mono
            value={browser.path}
            onChange={browser.setPath}
            aria-controls={listId}
            placeholder="/home/you/project"
            {...(fault === null
              ? {}
              : { error: [fault.message, fault.fix].filter(Boolean).join(' ') })}
          />
        </div>
        <Button type="submit" className="mt-5 h-8" busy={browser.busy}>
          Go
        </Button>
      </form>
      <section
        id={listId}
        aria-label="Folders"
        className="overflow-hidden rounded-md border border-line"
        onKeyDown={walk}
      >
        <Crumbs path={listing?.path ?? '/'} onGo={browser.go} />
        <VList style={{ height: 232 }} className="p-1">
          {up === null ? null : (
            <FolderLine key=".." name="Up one folder" up onOpen={() => browser.go(up)} />
          )}
          {folders.map((folder) => (
            <FolderLine
              key={folder.path}
              name={folder.name}
              faint={folder.hidden}
              onOpen={() => browser.go(folder.path)}
            />
          ))}
          {listing !== null && folders.length === 0 ? (
            <p key="none" className="px-2 py-2 text-meta text-ink-3">
              No folders in here.
            </p>
          ) : null}
        </VList>
      </section>
      <div className="flex items-center gap-3">
        <div className="flex-1">
          <Switch label="Show hidden folders" checked={showHidden} onChange={setShowHidden} />
        </div>
        <Button
          variant="primary"
          size="lg"
          busy={busy}
          disabled={browser.wanted === ''}
          onClick={() => onOpen(browser.wanted)}
        >
          Open this folder
        </Button>
      </div>
    </div>
  );
}

function Crumbs({ path, onGo }: { readonly path: string; readonly onGo: (path: string) => void }) {
  const crumbs = crumbsOf(path);
  return (
    <nav
      aria-label="Where you are"
      className="flex items-center overflow-x-auto border-b border-line bg-sunken px-1 py-1 [scrollbar-width:none]"
    >
      {crumbs.map((crumb, at) => (
        <span key={crumb.path} className="flex shrink-0 items-center">
          {at > 1 ? <span className="text-meta text-ink-3">/</span> : null}
          <button
            type="button"
            onClick={() => onGo(crumb.path)}
            aria-current={at === crumbs.length - 1 ? 'location' : undefined}
            className="h-6 rounded-sm px-1.5 font-mono text-meta text-ink-2 hover:bg-hover aria-[current]:text-ink"
          >
            {crumb.name}
          </button>
        </span>
      ))}
    </nav>
  );
}

function FolderLine({
  name,
  faint = false,
  up = false,
  onOpen,
}: {
  readonly name: string;
  readonly faint?: boolean;
  readonly up?: boolean;
  readonly onOpen: () => void;
}) {
  const Icon = up ? CornerLeftUp : Folder;
  return (
    <button
      type="button"
      data-folder-line
      onClick={onOpen}
      className={cx(
        'flex h-7 w-full items-center gap-2 rounded-sm px-2 text-left text-code hover:bg-hover',
        (faint || up) && 'text-ink-3',
      )}
    >
      <Icon size={14} aria-hidden className="shrink-0 text-ink-3" />
      <span className="truncate">{name}</span>
    </button>
  );
}

function moveFocus(event: KeyboardEvent<HTMLElement>): boolean {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return false;
  const lines = [...event.currentTarget.querySelectorAll<Element>('[data-folder-line]')];
  const at = document.activeElement === null ? -1 : lines.indexOf(document.activeElement);
  const next = lines[at < 0 ? 0 : at + step];
  if (next instanceof HTMLElement) next.focus();
  return true;
}

/** A folder on screen, and what went wrong on the way to the next one. */
interface FolderBrowsing {
  readonly listing: FolderListing | null;
  readonly fault: Fault | null;
  readonly busy: boolean;
  /** The text of the path field. */
  readonly path: string;
  setPath(text: string): void;
  /** The folder that text names, whether it is on screen yet or not. */
  readonly wanted: string;
  /** Shows a folder; without a path, the home folder. A failure keeps the folder shown so far. */
  go(path?: string): void;
}

/** Browses the folders of the machine the engine runs on. Only the newest request counts. */
function useFolderBrowser(start: string | undefined): FolderBrowsing {
  const { ask } = useLathe();
  const home = useScreen((s) => s.info?.home ?? '');
  const [listing, setListing] = useState<FolderListing | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [busy, setBusy] = useState(false);
  const [path, setPath] = useState('');
  const newest = useRef(0);
  /** The folder on screen, from which a relative path leads. */
  const shown = useRef('');
  /** Something was typed since the last folder was asked for: it stays, whatever comes. */
  const typed = useRef(false);
  const go = useCallback(
    (to?: string) => {
      newest.current += 1;
      const mine = newest.current;
      const wanted = to === undefined ? undefined : typedPath(to, home, shown.current);
      typed.current = false;
      setBusy(true);
      void ask((client) =>
        client.folders.list(wanted === undefined || wanted === '' ? {} : { path: wanted }),
      ).then((listed) => {
        if (mine !== newest.current) return;
        setBusy(false);
        setFault(listed.ok ? null : listed.error);
        if (!listed.ok) return;
        shown.current = listed.value.path;
        setListing(listed.value);
        if (!typed.current) setPath(listed.value.path);
      });
    },
    [ask, home],
  );
  useEffect(() => go(start), [go, start]);
  const type = (text: string) => {
    typed.current = true;
    setPath(text);
  };
  const wanted = typedPath(path, home, listing?.path);
  return { listing, fault, busy, path, setPath: type, wanted, go };
}
