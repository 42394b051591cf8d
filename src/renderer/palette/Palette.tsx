import { Command } from 'cmdk';
import { Check } from 'lucide-react';
import { useState } from 'react';
import type { CommandInfo, SessionSummary } from '../../shared/contract';
import type { Keymap } from '../../shared/keymap';
import type { ModelChoice } from '../../shared/settings';
import { COMMANDS, type CommandId } from '../../shared/window-commands';
import { hostOnly } from '../commands/slash';
import { isRunnable, type RunCommand } from '../commands/table';
import { useKeymap } from '../commands/use-keymap';
import { sessionsOf, titleOf } from '../sessions/group-sessions';
import { effortDescription, effortLabel, effortUsed, findModel, useModels } from '../status/models';
import { type ModeChoice, modeChoices } from '../status/modes';
import { currentTranscript, type PalettePage } from '../store/screen';
import { configureSession } from '../store/sessions';
import { reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Kbd } from '../ui/Button';
import { FocusBack } from '../ui/Dialog';

const PLACEHOLDERS: Readonly<Record<PalettePage, string>> = {
  all: 'What do you want to do?',
  model: 'Which model?',
  effort: 'How much effort?',
  mode: 'What may Lathe do without asking?',
};

const NAMES: Readonly<Record<PalettePage, string>> = {
  all: 'Command palette',
  model: 'Choose the model',
  effort: 'Choose the effort',
  mode: 'Choose the permission mode',
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
  // The models come from the host; there is something in every other list.
  const loading = groups.every(({ entries }) => entries.length === 0);
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
      label={NAMES[page]}
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
      <Command.List
        aria-busy={loading || undefined}
        className="max-h-[min(420px,60vh)] overflow-y-auto p-1.5 [&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-meta [&_[cmdk-group-heading]]:text-ink-3"
      >
        <Command.Empty className="px-3 py-6 text-center text-code text-ink-3">
          {loading ? 'Loading…' : 'Nothing has that name.'}
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
        {entry.label}{' '}
        {entry.detail === undefined ? null : (
          <span className="ml-1 text-meta text-ink-3">{entry.detail}</span>
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
  const keymap = useKeymap();
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
        { heading: 'Commands', entries: commandEntries(hostCommands, keymap) },
        { heading: 'Sessions', entries: sessionEntries(sessions, project, shownId) },
      ].filter((group) => group.entries.length > 0);
  }
}

/** One line of the palette. `value` is unique; `words` are searched besides the label. */
interface PaletteEntry {
  readonly value: string;
  readonly label: string;
  readonly detail?: string;
  readonly keys?: string;
  readonly words?: readonly string[];
  readonly current?: boolean;
  readonly act:
    | { readonly kind: 'command'; readonly id: CommandId }
    | { readonly kind: 'host'; readonly name: string; readonly argument: boolean }
    | { readonly kind: 'session'; readonly sessionId: string }
    | { readonly kind: 'model'; readonly model: string }
    | { readonly kind: 'effort'; readonly effort: string }
    | { readonly kind: 'mode'; readonly mode: ModeChoice['value'] };
}

/** Number of sessions the palette lists; the list at the left has them all. */
const MAX_SESSIONS = 50;

/** Returns the commands of the table, those of terminals last, and of the host, without keys of forms and numbered sessions. */
export const commandEntries = (
  host: readonly CommandInfo[],
  { keyOf }: Keymap,
): readonly PaletteEntry[] => [
  ...COMMANDS.filter(({ id }) => isRunnable(id) && id !== 'palette' && !/^session\d$/.test(id))
    .toSorted((a, b) => Number(a.group === 'Terminal') - Number(b.group === 'Terminal'))
    .map((command) => ({
      value: `command ${command.id}`,
      label: command.title,
      words: [command.group, command.slash ?? '', ...(command.aliases ?? []), wordsOf(command.id)],
      ...(keyOf(command.id) === '' ? {} : { keys: keyOf(command.id) }),
      act: { kind: 'command', id: command.id } as const,
    })),
  ...hostOnly(host).map(({ name, description, argumentHint }) => ({
    value: `host ${name}`,
    label: description,
    detail: `/${name}`,
    words: [name],
    act: { kind: 'host', name, argument: argumentHint !== '' } as const,
  })),
];

/** Returns the words of a command's id, by which a user may look for it too: `splitDown` → split down. */
const wordsOf = (id: CommandId): string => id.replace(/[A-Z]/g, ' $&').toLowerCase();

/** Returns the sessions of a project, newest first. */
const sessionEntries = (
  sessions: readonly SessionSummary[],
  project: string,
  shownId: string | null,
): readonly PaletteEntry[] =>
  sessionsOf(sessions, project, '')
    .slice(0, MAX_SESSIONS)
    .map((session) => ({
      value: `session ${session.id}`,
      label: titleOf(session),
      words: ['session'],
      current: session.id === shownId,
      act: { kind: 'session', sessionId: session.id },
    }));

/** Returns the models one can choose. */
const modelEntries = (models: readonly ModelChoice[], current: string): readonly PaletteEntry[] =>
  models
    .filter(({ refused }) => refused === undefined)
    .map(
      (model): PaletteEntry => ({
        value: `model ${model.id}`,
        label: model.name,
        detail: model.id,
        words: [model.id, model.alias ?? ''],
        current: model.id === current || model.alias === current,
        act: { kind: 'model', model: model.id },
      }),
    );

/** Returns a model that is in no list, chosen by the id that was typed; empty when it can be no id or is listed. */
export const typedModelEntries = (
  models: readonly ModelChoice[],
  typed: string,
): readonly PaletteEntry[] => {
  const id = typed.trim();
  const listed = models.some((model) => model.id === id || model.alias === id);
  if (listed || !/^[a-z0-9][\w.:@/-]{5,199}$/i.test(id)) return [];
  const act = { kind: 'model', model: id } as const;
  return [{ value: `model ${id}`, label: `Use “${id}”`, detail: 'by its id', words: [id], act }];
};

/** Returns the efforts of a model. */
const effortEntries = (efforts: readonly string[], current: string): readonly PaletteEntry[] =>
  efforts.map((effort) => ({
    value: `effort ${effort}`,
    label: effortLabel(effort),
    detail: effortDescription(effort),
    current: effort === current,
    act: { kind: 'effort', effort },
  }));

/** Returns the permission modes that this connection offers. */
const modeEntries = (current: string, demo: boolean): readonly PaletteEntry[] =>
  modeChoices(demo).map((mode) => ({
    value: `mode ${mode.value}`,
    label: mode.label,
    detail: mode.description,
    current: mode.value === current,
    act: { kind: 'mode', mode: mode.value },
  }));
