import type { CommandInfo, SessionSummary } from '../../shared/contract';
import type { ModelChoice } from '../../shared/settings';
import { hostOnly } from '../commands/slash';
import { COMMANDS, type CommandId } from '../commands/table';
import { sessionsOf, titleOf } from '../sessions/group-sessions';
import { effortDescription, effortLabel } from '../status/models';
import { type ModeChoice, modeChoices } from '../status/modes';

/** One line of the palette. `value` is unique; `words` are searched besides the label. */
export interface PaletteEntry {
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

/** Returns the commands of the table and of the host, without keys of forms and numbered sessions. */
export const commandEntries = (host: readonly CommandInfo[]): readonly PaletteEntry[] => [
  ...COMMANDS.filter(
    ({ id, run }) => run !== undefined && id !== 'palette' && !/^session\d$/.test(id),
  ).map((command) => ({
    value: `command ${command.id}`,
    label: command.title,
    words: [command.group, command.slash ?? ''],
    ...(command.keys[0] === undefined ? {} : { keys: command.keys[0] }),
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

/** Returns the sessions of a project, newest first. */
export const sessionEntries = (
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
export const modelEntries = (
  models: readonly ModelChoice[],
  current: string,
): readonly PaletteEntry[] =>
  models.map(
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
export const effortEntries = (
  efforts: readonly string[],
  current: string,
): readonly PaletteEntry[] =>
  efforts.map((effort) => ({
    value: `effort ${effort}`,
    label: effortLabel(effort),
    detail: effortDescription(effort),
    current: effort === current,
    act: { kind: 'effort', effort },
  }));

/** Returns the permission modes that this connection offers. */
export const modeEntries = (current: string, demo: boolean): readonly PaletteEntry[] =>
  modeChoices(demo).map((mode) => ({
    value: `mode ${mode.value}`,
    label: mode.label,
    detail: mode.description,
    current: mode.value === current,
    act: { kind: 'mode', mode: mode.value },
  }));
