import { Command } from 'cmdk';
import { Check } from 'lucide-react';
import { useState } from 'react';
import type { RunCommand } from '../commands/table';
import { effortUsed, findModel, useModels } from '../status/models';
import { currentTranscript, type PalettePage } from '../store/screen';
import { configureSession } from '../store/sessions';
import { reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Kbd } from '../ui/Button';
import { FocusBack } from '../ui/Dialog';
import {
  commandEntries,
  effortEntries,
  modeEntries,
  modelEntries,
  type PaletteEntry,
  sessionEntries,
  typedModelEntries,
} from './entries';

const PLACEHOLDERS: Readonly<Record<PalettePage, string>> = {
  all: 'What do you want to do?',
  model: 'Which model?',
  effort: 'How much effort?',
  mode: 'What may Lathe do without asking?',
};

/** Everything by name. Type to narrow, Enter to do it, Esc to leave. */
export function Palette({
  page,
  onCommand,
  onClose,
}: {
  readonly page: PalettePage;
  readonly onCommand: RunCommand;
  readonly onClose: () => void;
}) {
  const lathe = useLathe();
  const [typed, setTyped] = useState('');
  const groups = useGroups(page, typed);
  const run = ({ act }: PaletteEntry) => {
    onClose();
    switch (act.kind) {
      case 'command':
        return onCommand(act.id);
      case 'host':
        if (act.argument) return lathe.drafts.set(lathe.current.draftKey(), `/${act.name} `);
        return lathe.current.submit(`/${act.name}`).then((sent) => reported(lathe.store, sent));
      case 'session':
        return lathe.current.show(act.sessionId);
      case 'mode':
        if (act.mode === 'bypassPermissions') {
          return lathe.store.setState({ dialog: { kind: 'bypass' } });
        }
        return void configureSession(lathe, { mode: act.mode });
      case 'model':
        return void configureSession(lathe, { model: act.model });
      case 'effort':
        return void configureSession(lathe, { effort: act.effort });
    }
  };
  return (
    <Command.Dialog
      open
      onOpenChange={onClose}
      label="Command palette"
      loop
      overlayClassName="fixed inset-0 z-40 animate-appear bg-scrim"
      contentClassName="fixed top-[14vh] left-1/2 z-40 w-[calc(100vw-32px)] max-w-[600px] -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-dialog outline-none"
    >
      <FocusBack />
      <Command.Input
        value={typed}
        onValueChange={setTyped}
        placeholder={PLACEHOLDERS[page]}
        data-focus="frame"
        className="h-12 w-full border-b border-line bg-transparent px-4 text-body"
      />
      <Command.List className="max-h-[min(420px,60vh)] overflow-y-auto p-1.5 [&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-meta [&_[cmdk-group-heading]]:text-ink-3">
        <Command.Empty className="px-3 py-6 text-center text-code text-ink-3">
          Nothing has that name.
        </Command.Empty>
        {groups.map(({ heading, entries }) => (
          <Command.Group key={heading} heading={heading}>
            {entries.map((entry) => (
              <Line key={entry.value} entry={entry} onRun={() => run(entry)} />
            ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command.Dialog>
  );
}

function Line({ entry, onRun }: { readonly entry: PaletteEntry; readonly onRun: () => void }) {
  return (
    <Command.Item
      value={entry.value}
      keywords={[entry.label, ...(entry.words ?? [])]}
      onSelect={onRun}
      className="flex min-h-8 select-none items-center gap-3 rounded-md px-2.5 py-1 text-code data-[selected=true]:bg-hover"
    >
      <span className="min-w-0 flex-1 truncate">
        {entry.label}
        {entry.detail === undefined ? null : (
          <span className="ml-2 text-meta text-ink-3">{entry.detail}</span>
        )}
      </span>
      {entry.current === true ? (
        <Check size={14} aria-label="current" className="text-accent" />
      ) : null}
      {entry.keys === undefined ? null : <Kbd keys={entry.keys} />}
    </Command.Item>
  );
}

interface Group {
  readonly heading: string;
  readonly entries: readonly PaletteEntry[];
}

function useGroups(page: PalettePage, typed: string): readonly Group[] {
  const models = useModels();
  const sessions = useScreen((s) => s.app?.sessions ?? []);
  const project = useScreen((s) => s.opened?.path ?? '');
  const shownId = useScreen((s) => s.sessionId);
  const model = useScreen((s) => currentTranscript(s)?.model ?? '');
  const effort = useScreen((s) => currentTranscript(s)?.effort ?? '');
  const mode = useScreen((s) => currentTranscript(s)?.mode ?? '');
  const demo = useScreen((s) => s.app?.connection.kind === 'demo');
  const hostCommands = useScreen((s) => s.hostCommands);
  switch (page) {
    case 'model':
      return [
        {
          heading: 'Models',
          entries: [...modelEntries(models, model), ...typedModelEntries(models, typed)],
        },
      ];
    case 'effort': {
      const efforts = findModel(models, model)?.efforts ?? [];
      return [{ heading: 'Effort', entries: effortEntries(efforts, effortUsed(efforts, effort)) }];
    }
    case 'mode':
      return [{ heading: 'Permission mode', entries: modeEntries(mode, demo) }];
    case 'all':
      return [
        { heading: 'Commands', entries: commandEntries(hostCommands) },
        { heading: 'Sessions', entries: sessionEntries(sessions, project, shownId) },
      ].filter((group) => group.entries.length > 0);
  }
}
