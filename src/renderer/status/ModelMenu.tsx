import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import type { LimitsChange, QueryLimits, ThinkingMode } from '../../shared/agent-event';
import { asSentence } from '../../shared/dividers';
import type { ModelChoice } from '../../shared/settings';
import { currentTranscript } from '../store/screen';
import { configureSession } from '../store/sessions';
import { useLathe, useScreen } from '../store/use-lathe';
import { Segmented } from '../ui/Fields';
import { Picker, Popover } from '../ui/Menu';
import { AmountField } from './AmountField';
import { type ThinkingChoice, thinkingMenu, USUAL_BUDGET } from './model-menu';
import {
  effortDescription,
  effortLabel,
  effortUsed,
  findModel,
  modelLabel,
  modelOptions,
} from './models';

/** The status bar item of model and effort; opens the menu with thinking and limits too. */
export function ModelMenu({ models }: { readonly models: readonly ModelChoice[] }) {
  const { store } = useLathe();
  const open = useScreen((s) => s.modelOpen);
  const model = useScreen((s) => currentTranscript(s)?.model ?? '');
  const effort = useScreen((s) => currentTranscript(s)?.effort ?? '');
  if (model === '') return null;
  const used = effortUsed(findModel(models, model)?.efforts ?? [], effort);
  const name = modelLabel(models, model);
  const maker = /^Claude (?=.)/.exec(name)?.[0] ?? '';
  const level = used === '' ? '' : ` · ${effortLabel(used)}`;
  const chosen = `${name}${level}`;
  return (
    <Popover
      label="Model, thinking and limits"
      align="start"
      wide
      open={open}
      onOpenChange={(modelOpen) => store.setState({ modelOpen })}
      trigger={
        <button
          type="button"
          aria-label={`Model: ${chosen}`}
          className="flex h-6 min-w-0 items-center gap-1 rounded-sm px-1.5 hover:bg-hover hover:text-ink data-[state=open]:bg-hover"
        >
          <span className="min-w-0 truncate">
            <WideOnly>{maker}</WideOnly>
            {name.slice(maker.length)}
            <WideOnly>{level}</WideOnly>
          </span>
          <ChevronDown size={12} aria-hidden className="shrink-0 text-ink-3" />
        </button>
      }
    >
      <Choices models={models} />
    </Popover>
  );
}

/** The parts of a model's name that a phone's width has no room for. */
const WideOnly = ({ children }: { readonly children: string }) => (
  <span className="@max-lg:hidden">{children}</span>
);

/** Model, effort, thinking and limits of the session on screen. */
function Choices({ models }: { readonly models: readonly ModelChoice[] }) {
  const lathe = useLathe();
  const model = useScreen((s) => currentTranscript(s)?.model ?? '');
  const effort = useScreen((s) => currentTranscript(s)?.effort ?? '');
  const thinking = useScreen((s) => currentTranscript(s)?.thinking ?? null);
  const limits = useScreen((s) => currentTranscript(s)?.limits ?? NO_LIMITS);
  const running = useScreen((s) => (currentTranscript(s)?.running ?? null) !== null);
  const choice = findModel(models, model);
  const efforts = choice?.efforts ?? [];
  const used = effortUsed(efforts, effort);
  return (
    <div className="flex flex-col gap-4">
      <Section title="Model">
        <Picker
          label="Model"
          value={choice?.id ?? model}
          disabled={models.length === 0}
          options={modelOptions(models, model)}
          onChange={(id) => configureSession(lathe, { model: id })}
        >
          {modelLabel(models, model)}
        </Picker>
      </Section>
      <Section title="Effort">
        {efforts.length === 0 ? (
          <Note>This model has no effort levels.</Note>
        ) : (
          <>
            <Segmented
              label="Effort"
              value={used}
              options={efforts.map((value) => ({ value, label: effortLabel(value) }))}
              onChange={(value) => configureSession(lathe, { effort: value })}
            />
            <Note>{used === '' ? '' : asSentence(effortDescription(used))}</Note>
          </>
        )}
      </Section>
      <Thinking model={choice} thinking={thinking} />
      <Limits limits={limits} />
      {running ? (
        <p className="border-t border-line pt-2 text-meta text-ink-3">
          Limits count from the next message on, the rest from the next request on.
        </p>
      ) : null}
    </div>
  );
}

const NO_LIMITS: QueryLimits = { maxTurns: null, maxBudgetUsd: null };

function Thinking({
  model,
  thinking,
}: {
  readonly model: ModelChoice | undefined;
  readonly thinking: ThinkingMode | null;
}) {
  const lathe = useLathe();
  const { options, used, note } = thinkingMenu(model, thinking);
  const budget = typeof thinking === 'object' && thinking !== null ? thinking.budgetTokens : null;
  const set = (next: ThinkingMode) => void configureSession(lathe, { thinking: next });
  const choose = (next: ThinkingChoice) =>
    set(next === 'budget' ? { budgetTokens: budget ?? USUAL_BUDGET } : next);
  return (
    <Section title="Thinking">
      {options.length === 0 ? null : (
        <Segmented label="Thinking" value={used} options={options} onChange={choose} />
      )}
      <Note>{note}</Note>
      {used === 'budget' && budget !== null ? (
        <div className="w-40 pt-1">
          <AmountField
            kind="tokens"
            label="Tokens of thinking"
            value={budget}
            onChange={(tokens) => tokens !== null && set({ budgetTokens: tokens })}
          />
        </div>
      ) : null}
    </Section>
  );
}

function Limits({ limits }: { readonly limits: QueryLimits }) {
  const lathe = useLathe();
  const set = (change: LimitsChange) => void configureSession(lathe, { limits: change });
  return (
    <Section title="Limits of this session">
      <div className="grid grid-cols-2 gap-3">
        <AmountField
          kind="turns"
          label="Turns"
          value={limits.maxTurns}
          onChange={(maxTurns) => set({ maxTurns })}
        />
        <AmountField
          kind="dollars"
          label="Dollars"
          value={limits.maxBudgetUsd}
          onChange={(maxBudgetUsd) => set({ maxBudgetUsd })}
        />
      </div>
      <Note>
        At a limit Lathe stops, and one press lets it go on. Turns count for each message, dollars
        since you opened the session or let it go on.
      </Note>
    </Section>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="flex flex-col items-start gap-1.5 [&>div.grid]:w-full">
      <h2 className="text-meta font-medium text-ink-3">{title}</h2>
      {children}
    </section>
  );
}

const Note = ({ children }: { readonly children: ReactNode }) => (
  <p className="text-meta text-ink-2">{children}</p>
);
