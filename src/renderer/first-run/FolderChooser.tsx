import { FolderOpen, FolderSearch } from 'lucide-react';
import { useState } from 'react';
import type { Fault } from '../../shared/result';
import { forgetProject, openProject } from '../store/projects';
import { reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { cx } from '../ui/cx';
import { Notice } from '../ui/Notice';
import { ChoiceCard } from './ChoiceCard';
import { FolderBrowser } from './FolderBrowser';
import { RecentFolders } from './RecentFolders';
import { useFolderDrop } from './use-folder-drop';

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
