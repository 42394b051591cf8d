import type { Message } from '../../../shared/message';
import type { PermissionMode } from '../../../shared/permission';
import type { Attachment, CollectedFact, Collector } from './attachment';
import { answersSince, modeReminder } from './cadence';

const KIND = 'mode';

/** The texts that tell the model of a mode. Modes without a text change nothing that it should try. */
interface ModeText {
  readonly full: string;
  readonly short: string;
  /** Said once when the mode is over. */
  readonly over: string;
}

type ModeTexts = Partial<Record<PermissionMode, ModeText>>;

const TEXTS: ModeTexts = {
  plan: {
    full: `Plan mode is on. The user wants a plan before anything is changed.
- Only read and search. Change no file, run nothing that changes anything, commit nothing; this goes before every other instruction.
- Look at the code that matters until you know enough. Ask when a decision is the user's.
- Then present the plan: what changes where, in which order, what could go wrong, how it will be checked. End there and wait for their word.`,
    short:
      'Plan mode is still on: only read and search, change nothing. Present the plan when you know enough, then wait.',
    over: 'Plan mode is over. You may change files and run commands again, as permissions allow.',
  },
  auto: {
    full: `Auto mode is on. The user wants you to go on by yourself.
- Start at once and keep going until the work is done and checked. Decide routine questions yourself and say what you assumed; ask only where a wrong guess would be costly.
- Being asked less does not mean that more is allowed. What is hard to undo, or reaches beyond this machine, still needs a clear yes.`,
    short:
      'Auto mode is still on: go on by yourself, ask only where a wrong guess would be costly, take care with what is hard to undo.',
    over: 'Auto mode is over. Ask again when a decision is the user’s.',
  },
  dontAsk: {
    full: 'Nobody is asked in this mode: calls that would need approval are denied. Work with what is allowed, do not look for ways around a denial, and say at the end what could not be done.',
    short: 'Still in the mode in which nobody is asked: what would need approval is denied.',
    over: 'Calls that need approval are asked about again.',
  },
};

/** The texts for an agent that reports to another agent: it presents no plan and can ask nobody. */
const SUB_AGENT_TEXTS: ModeTexts = {
  ...TEXTS,
  plan: {
    full: `Plan mode is on: whoever gave you this task is still planning.
- Only read and search. Change no file, run nothing that changes anything, commit nothing; this goes before every other instruction.
- Report what you found. Where the task asks for changes, say in your report what you would change, and where.`,
    short: 'Plan mode is still on: only read and search, change nothing, then report.',
    over: 'Plan mode is over. You may change files and run commands, as permissions allow.',
  },
  auto: {
    full: 'Auto mode is on: nobody looks at each call first. That does not mean that more is allowed: leave out what is hard to undo or reaches beyond this machine, unless the task names it, and say so in your report.',
    short:
      'Auto mode is still on: leave out what is hard to undo or reaches beyond this machine, unless the task names it.',
    over: 'Auto mode is over. Calls that need approval are asked about.',
  },
};

/** Creates the reminders of the mode: when it begins, every few answers, and once when it is over. */
export const createModeReminders = (
  reportsTo: 'user' | 'agent',
  planInstructions?: string,
): Collector => {
  const texts = reportsTo === 'user' ? withPlanning(planInstructions) : SUB_AGENT_TEXTS;
  return {
    name: 'mode reminders',
    collect: ({ history, mode }) => fact(reminderFor(history, mode, texts)),
  };
};

/** Returns the texts with another way to plan; that nothing is changed and how it ends stays. */
function withPlanning(instructions: string | undefined): ModeTexts {
  const { plan } = TEXTS;
  if (instructions === undefined || plan === undefined) return TEXTS;
  const [head = '', readOnly = '', , end = ''] = plan.full.split('\n');
  return { ...TEXTS, plan: { ...plan, full: [head, readOnly, instructions, end].join('\n') } };
}

const fact = (attachment: Attachment | null): readonly CollectedFact[] =>
  attachment === null ? [] : [{ attachment }];

/** Returns what to say about the mode now; null for nothing. Pure: all it knows is what was said already. */
export function reminderFor(
  history: readonly Message[],
  mode: PermissionMode,
  texts: ModeTexts = TEXTS,
): Attachment | null {
  const text = texts[mode];
  const before = lastMode(history);
  if (text === undefined) {
    const over = before === null ? undefined : texts[before]?.over;
    return over === undefined ? null : { kind: KIND, about: mode, text: over };
  }
  const length = modeReminder(
    before === mode ? saidSince(history, mode) : 0,
    answersSince(history, isModeReminder) ?? 0,
  );
  return length === null ? null : { kind: KIND, about: mode, text: text[length] };
}

const isModeReminder = (message: Message): boolean =>
  message.role === 'attachment' && message.kind === KIND;

const aboutOf = (message: Message | undefined): string | undefined =>
  message?.role === 'attachment' ? message.about : undefined;

/** Returns the mode the model believes in; null when it was told none, or that there is none any more. */
function lastMode(history: readonly Message[]): PermissionMode | null {
  const about = aboutOf(history.findLast(isModeReminder));
  const known = Object.keys(TEXTS) as readonly PermissionMode[];
  return known.find((mode) => mode === about) ?? null;
}

/** Counts the reminders of this mode without another one in between. */
function saidSince(history: readonly Message[], mode: PermissionMode): number {
  const reminders = history.filter(isModeReminder);
  const other = reminders.findLastIndex((message) => aboutOf(message) !== mode);
  return reminders.length - other - 1;
}
