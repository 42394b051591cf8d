import type { PermissionMode } from '../../shared/permission';

/** Name and explanation of a permission mode. */
export interface ModeChoice {
  readonly value: PermissionMode;
  readonly label: string;
  readonly description: string;
}

const ALL: Readonly<Record<PermissionMode, Omit<ModeChoice, 'value'>>> = {
  default: {
    label: 'Ask before acting',
    description: 'Asks before it changes files or runs commands',
  },
  acceptEdits: {
    label: 'Edit without asking',
    description: 'Changes files in the project; still asks for commands',
  },
  plan: { label: 'Plan only', description: 'Reads and plans; changes nothing' },
  dontAsk: { label: 'Never ask', description: 'Does what your rules allow and refuses the rest' },
  auto: { label: 'Decide by itself', description: 'A second model judges each act' },
  bypassPermissions: {
    label: 'Allow everything',
    description: 'Asks nothing but what your rules deny or ask for',
  },
};

const ORDER = [
  'default',
  'acceptEdits',
  'plan',
  'auto',
  'dontAsk',
  'bypassPermissions',
] as const satisfies readonly PermissionMode[];

/**
 * Returns the modes the menu offers. The offline demo has no second model that could judge. A mode set elsewhere that is not
 * offered is still shown by its name.
 */
export const modeChoices = (demo: boolean): readonly ModeChoice[] =>
  ORDER.filter((value) => value !== 'auto' || !demo).map((value) => ({ value, ...ALL[value] }));

/** Returns the mode's name. */
export const modeLabel = (mode: PermissionMode): string => ALL[mode].label;
