import { Command, Ellipsis, PanelLeft, PanelRight } from 'lucide-react';
import { type CommandId, commandOf, keyOf, type RunCommand } from '../commands/table';
import { titleOf } from '../sessions/group-sessions';
import { useLathe, useScreen } from '../store/use-lathe';
import { IconButton } from '../ui/Button';
import { Menu, type MenuEntry } from '../ui/Menu';

const MENU: readonly (CommandId | 'line')[] = [
  'renameSession',
  'changes',
  'plan',
  'line',
  'newShell',
  'line',
  'keys',
  'settings',
];

/** The line over the conversation: what it is about, the palette, and the two outer columns. */
export function TitleBar({ onCommand }: { readonly onCommand: RunCommand }) {
  const { store } = useLathe();
  const sessionId = useScreen((s) => s.sessionId);
  const listed = useScreen((s) => s.app?.sessions.find((x) => x.id === s.sessionId)?.title);
  const folded = useScreen((s) => (s.sessionId ? s.transcripts[s.sessionId]?.title : undefined));
  const sideOpen = useScreen((s) => s.sideOpen);
  const dockOpen = useScreen((s) => s.dockOpen);
  const title = titleOf({ title: folded || listed || '' });
  return (
    <header className="flex h-11 shrink-0 items-center gap-1 border-b border-line bg-canvas px-2">
      <IconButton
        icon={PanelLeft}
        size="md"
        label={sideOpen ? 'Hide the sessions' : 'Show the sessions'}
        pressed={sideOpen}
        tooltipSide="bottom"
        className="aria-pressed:bg-transparent"
        onClick={() => store.setState({ sideOpen: !sideOpen })}
      />
      <h1 className="min-w-0 flex-1 truncate px-1 text-code font-medium" title={title}>
        <button
          type="button"
          disabled={sessionId === null}
          onDoubleClick={() => onCommand('renameSession')}
          className="max-w-full truncate"
        >
          {title}
        </button>
      </h1>
      <IconButton
        icon={Command}
        size="md"
        label="Command palette"
        keys={keyOf('palette')}
        tooltipSide="bottom"
        onClick={() => onCommand('palette')}
      />
      <Menu
        align="end"
        trigger={<IconButton icon={Ellipsis} size="md" label="More" tooltipSide="bottom" />}
        entries={MENU.map((id, at) => menuEntry(id, at, onCommand))}
      />
      <IconButton
        icon={PanelRight}
        size="md"
        label={dockOpen ? 'Hide the dock' : 'Show the dock'}
        keys={keyOf('toggleDock')}
        pressed={dockOpen}
        tooltipSide="bottom"
        className="aria-pressed:bg-transparent"
        onClick={() => onCommand('toggleDock')}
      />
    </header>
  );
}

function menuEntry(id: CommandId | 'line', at: number, onCommand: RunCommand): MenuEntry {
  if (id === 'line') return { kind: 'separator', id: `line ${at}` };
  const keys = keyOf(id);
  return {
    kind: 'item',
    id,
    label: commandOf(id).title,
    ...(keys === '' ? {} : { keys }),
    onSelect: () => void onCommand(id),
  };
}
