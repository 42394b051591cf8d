import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AgentDefaults, DefaultSetting } from '../../shared/agent-defaults';
import type { ThinkingMode } from '../../shared/agent-event';
import type { Project } from '../../shared/settings';
import { AmountField } from '../status/AmountField';
import { USUAL_BUDGET } from '../status/model-menu';
import { effortLabel, findModel, modelLabel, modelOptions, useModels } from '../status/models';
import { setDefaults, setPreferences } from '../store/settings';
import { useLathe, useScreen } from '../store/use-lathe';
import { Row, Switch } from '../ui/Fields';
import { tildePath } from '../ui/format';
import { Picker } from '../ui/Menu';
import { VisibleText } from '../ui/VisibleText';

const NOTHING: AgentDefaults = {
  model: { own: null },
  effort: { own: null },
  thinking: { own: null },
  maxTurns: { own: null },
  maxBudgetUsd: { own: null },
  maxDailyBudgetUsd: { own: null },
};

/** No value of the user's own. */
const UNSET = 'unset';
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Sets what new sessions begin with: model, effort, thinking and limits, in the user's own settings. */
export function ModelsPanel({ project }: { readonly project: Project }) {
  const lathe = useLathe();
  const models = useModels();
  const home = useScreen((s) => s.info?.home ?? '');
  const titles = useScreen((s) => s.app?.preferences.modelTitles) ?? true;
  const { model, effort, thinking, maxTurns, maxBudgetUsd, maxDailyBudgetUsd } =
    project.defaults ?? NOTHING;
  const own = model.own ?? '';
  const chosen = own === '' ? UNSET : (findModel(models, own)?.id ?? own);
  const budget = typeof thinking.own === 'object' ? thinking.own?.budgetTokens : undefined;
  return (
    <div className="flex flex-col gap-5">
      <p className="text-code text-ink-2">
        New sessions begin with these. A session that is open keeps its own, which its status bar
        changes.
      </p>
      <Setting title="Model" setting={model} home={home} words={(id) => modelLabel(models, id)}>
        <div className="w-48">
          <Picker
            label="Model"
            value={chosen}
            disabled={isLocked(model)}
            align="end"
            options={[{ value: UNSET, label: 'Lathe’s choice' }, ...modelOptions(models, own)]}
            onChange={(id) => setDefaults(lathe, { model: id === UNSET ? null : id })}
          />
        </div>
      </Setting>
      <Setting title="Effort" setting={effort} home={home} words={effortLabel}>
        <div className="w-48">
          <Picker
            label="Effort"
            value={EFFORTS.find((level) => level === effort.own) ?? UNSET}
            disabled={isLocked(effort)}
            align="end"
            options={[
              { value: UNSET, label: 'As the model has it' },
              ...EFFORTS.map((level) => ({ value: level, label: effortLabel(level) })),
            ]}
            onChange={(level) => setDefaults(lathe, { effort: level === UNSET ? null : level })}
          />
        </div>
      </Setting>
      <Setting title="Thinking" setting={thinking} home={home} words={thinkingWords}>
        <div className="flex w-48 flex-col gap-2">
          <Picker
            label="Thinking"
            value={budget === undefined ? ((thinking.own as string | null) ?? UNSET) : 'budget'}
            disabled={isLocked(thinking)}
            align="end"
            options={[
              { value: UNSET, label: 'As the model has it' },
              { value: 'adaptive', label: 'Adaptive', description: 'As much as the task needs' },
              { value: 'disabled', label: 'Off', description: 'As little as the model can' },
              { value: 'budget', label: 'Budget', description: 'At most so many tokens' },
            ]}
            onChange={(next) => setDefaults(lathe, { thinking: thinkingFor(next) })}
          />
          {budget === undefined ? null : (
            <AmountField
              kind="tokens"
              label="Tokens of thinking"
              value={budget}
              disabled={isLocked(thinking)}
              onChange={(tokens) =>
                tokens !== null && setDefaults(lathe, { thinking: { budgetTokens: tokens } })
              }
            />
          )}
        </div>
      </Setting>
      <Setting
        title="Limits"
        text="At a limit Lathe stops, and one press lets it go on. Turns count for each message, dollars for each session."
        setting={
          isLocked(maxTurns) || maxBudgetUsd.overruled === undefined ? maxTurns : maxBudgetUsd
        }
        home={home}
        words={(value) => String(value)}
      >
        <div className="grid w-48 grid-cols-2 gap-2">
          <AmountField
            kind="turns"
            label="Turns"
            value={maxTurns.own}
            disabled={isLocked(maxTurns)}
            onChange={(next) => setDefaults(lathe, { maxTurns: next })}
          />
          <AmountField
            kind="dollars"
            label="Dollars"
            value={maxBudgetUsd.own}
            disabled={isLocked(maxBudgetUsd)}
            onChange={(next) => setDefaults(lathe, { maxBudgetUsd: next })}
          />
        </div>
      </Setting>
      <Setting
        title="Limit of a day"
        text="What all sessions together may spend in a day before they stop and ask."
        setting={maxDailyBudgetUsd}
        home={home}
        words={(value) => `$${value}`}
      >
        <div className="w-48">
          <AmountField
            kind="dollars"
            label="Dollars a day"
            value={maxDailyBudgetUsd.own}
            disabled={isLocked(maxDailyBudgetUsd)}
            onChange={(next) => setDefaults(lathe, { maxDailyBudgetUsd: next })}
          />
        </div>
      </Setting>
      <p className="text-meta text-ink-3">Kept in your own settings, ~/.claude/settings.json.</p>
      <div className="border-t border-line pt-5">
        <Switch
          label="Titles by the small model"
          hint="A new session is named after its first answer, by one short request that counts as a cost. Off: the first words of your message stay."
          checked={titles}
          onChange={(modelTitles) => void setPreferences(lathe, { modelTitles })}
        />
      </div>
    </div>
  );
}

/** Returns true when the machine's settings decide, so that a choice of the user's own would mean nothing. */
const isLocked = ({ overruled }: DefaultSetting<unknown>): boolean =>
  overruled?.source === 'managed';

function thinkingFor(choice: string): ThinkingMode | null {
  if (choice === 'budget') return { budgetTokens: USUAL_BUDGET };
  return choice === 'adaptive' || choice === 'disabled' ? choice : null;
}

const thinkingWords = (mode: ThinkingMode): string =>
  typeof mode === 'object'
    ? `${mode.budgetTokens} tokens`
    : mode === 'adaptive'
      ? 'Adaptive'
      : 'Off';

/** One setting, and the file whose value goes before the user's own, if there is one. */
function Setting<T>({
  title,
  text,
  setting: { overruled },
  home,
  words,
  children,
}: {
  readonly title: string;
  readonly text?: string;
  readonly setting: DefaultSetting<T>;
  readonly home: string;
  readonly words: (value: T) => string;
  readonly children: ReactNode;
}) {
  const note =
    overruled === undefined ? null : (
      <span className="flex items-start gap-1.5 text-waits">
        <Lock size={12} aria-hidden className="mt-0.5 shrink-0" />
        <span className="min-w-0">
          {overruled.source === 'managed'
            ? 'Set for this machine by whoever manages it: '
            : 'Here another file goes before your choice: '}
          <VisibleText text={`${words(overruled.value)} (${tildePath(overruled.file, home)})`} />
        </span>
      </span>
    );
  return (
    <Row
      title={title}
      {...(text === undefined && note === null ? {} : { text: <Below text={text} note={note} /> })}
    >
      {children}
    </Row>
  );
}

const Below = ({ text, note }: { readonly text: string | undefined; readonly note: ReactNode }) => (
  <>
    {text}
    {note}
  </>
);
