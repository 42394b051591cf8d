import { Folder, X } from 'lucide-react';
import { folderName } from '../sessions/ProjectSwitcher';
import { useScreen } from '../store/use-lathe';
import { tildePath } from '../ui/format';
import { IconButton } from '../ui/IconButton';
import { Spinner } from '../ui/Spinner';

/** How many recent folders are listed. */
const SHOWN = 6;

/** The folders opened last. × takes one off the list and leaves the folder alone. */
export function RecentFolders({
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
