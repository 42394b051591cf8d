import { useCallback, useEffect, useRef, useState } from 'react';
import type { FolderListing } from '../../shared/contract';
import type { Fault } from '../../shared/result';
import { useLathe, useScreen } from '../store/use-lathe';
import { typedPath } from './folder-path';

/** A folder on screen, and what went wrong on the way to the next one. */
export interface FolderBrowser {
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
export function useFolderBrowser(start: string | undefined): FolderBrowser {
  const { ask } = useLathe();
  const home = useScreen((s) => s.info?.home ?? '');
  const [listing, setListing] = useState<FolderListing | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [busy, setBusy] = useState(false);
  const [path, setPath] = useState('');
  const newest = useRef(0);
  const go = useCallback(
    (to?: string) => {
      newest.current += 1;
      const mine = newest.current;
      const wanted = to === undefined ? undefined : typedPath(to, home);
      setBusy(true);
      void ask((client) =>
        client.folders.list(wanted === undefined || wanted === '' ? {} : { path: wanted }),
      ).then((listed) => {
        if (mine !== newest.current) return;
        setBusy(false);
        setFault(listed.ok ? null : listed.error);
        if (!listed.ok) return;
        setListing(listed.value);
        setPath(listed.value.path);
      });
    },
    [ask, home],
  );
  useEffect(() => go(start), [go, start]);
  return { listing, fault, busy, path, setPath, wanted: typedPath(path, home), go };
}
