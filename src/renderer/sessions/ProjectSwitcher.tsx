import { ChevronsUpDown, Folder, FolderOpen } from 'lucide-react';
import { keyOf } from '../app/keys';
import { tildePath } from '../ui/format';
import { Menu, type MenuEntry } from '../ui/Menu';

/** How many other projects the menu names. */
const SHOWN_RECENTS = 8;

/** The last part of a path: what people call the folder. */
export const folderName = (path: string): string =>
  path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;

/** The project's name; opens the list of the others. */
export function ProjectSwitcher({
  name,
  path,
  home,
  recents,
  onOpen,
  onBrowse,
}: {
  readonly name: string;
  readonly path: string;
  readonly home: string;
  readonly recents: readonly string[];
  readonly onOpen: (path: string) => void;
  readonly onBrowse: () => void;
}) {
  const others = recents.filter((recent) => recent !== path).slice(0, SHOWN_RECENTS);
  const keys = keyOf('openFolder');
  const entries: MenuEntry[] = [
    ...(others.length > 0 ? [{ kind: 'heading', id: 'recent', label: 'Recent' } as const] : []),
    ...others.map(
      (recent): MenuEntry => ({
        kind: 'item',
        id: recent,
        label: tildePath(recent, home),
        icon: Folder,
        onSelect: () => onOpen(recent),
      }),
    ),
    ...(others.length > 0 ? [{ kind: 'separator', id: 'line' } as const] : []),
    {
      kind: 'item',
      id: 'browse',
      label: 'Open folder…',
      icon: FolderOpen,
      ...(keys === undefined ? {} : { keys }),
      onSelect: onBrowse,
    },
  ];
  return (
    <Menu
      entries={entries}
      trigger={
        <button
          type="button"
          aria-label={`Project ${name}; switch project`}
          title={tildePath(path, home)}
          className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md px-2 text-left hover:bg-hover data-[state=open]:bg-hover"
        >
          <Folder size={15} aria-hidden className="shrink-0 text-ink-3" />
          <span className="min-w-0 flex-1 truncate text-code font-semibold">{name}</span>
          <ChevronsUpDown size={13} aria-hidden className="shrink-0 text-ink-3" />
        </button>
      }
    />
  );
}
