import { normalize } from 'node:path';
import type {
  Decision,
  PermissionDenial,
  PermissionMode,
  PermissionRule,
  RuleSuggestion,
} from '../../../../shared/permission';
import { err, fault, ok, type Result } from '../../../../shared/result';
import type { Broker, BrokerAnswer } from '../../permissions/broker';
import { strictest } from '../../permissions/decide';
import { relativeInside } from '../../permissions/paths';
import type { Decide, DecisionContext, PermissionRequest } from '../../permissions/request';
import { risksOf } from '../../permissions/risks';
import { changedScripts, type ScriptHashes } from '../../permissions/scripts-run';
import type { Ids } from '../../ports';
import { type ApprovalContent, contentOf, scriptsOf, shownSubject, titleOf } from '../approval';
import type { AutoJudge } from '../auto-judge';
import { needsContext, type ToolEnvironment } from '../environment';
import { requestsOf } from '../needs';
import { observableInput, parseHookInput } from '../parse-input';
import {
  type AllowedCall,
  type CallMiddleware,
  type GateAnswer,
  type GatedCall,
  type HookAdvice,
  interrupted,
  type RefusedCall,
} from './call-middleware';
import { advised, firstAnswer, type HookAnswers, hooksAnswer } from './hook-answers';

/** Decides whether the calls of one response may run. Never rejects. */
export interface PermissionGate {
  /** Decides, asking the user when need be. `beforeAsking` is called before that and awaited: questions come in order. */
  check(
    call: GatedCall,
    beforeAsking: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<GateAnswer>;
  /** Returns the refusal of a call that rules deny, for one that cannot run anyway; null when they do not. */
  denial(call: GatedCall): Promise<RefusedCall | null>;
}

export interface PermissionGateOptions {
  readonly environment: ToolEnvironment;
  readonly decide: Decide;
  readonly rules: () => readonly PermissionRule[];
  /** Reads the rules in settings files again where one changed since they were read. Absent: they do not change. */
  readonly freshenRules?: (() => Promise<void>) | undefined;
  /** Reads the rules in settings files again: they may have changed while a question stood. */
  readonly refreshRules: () => Promise<void>;
  /** Returns the mode in which the calls of a tool are judged. */
  readonly mode: (tool: string) => PermissionMode;
  readonly context: () => DecisionContext;
  /** Null where nobody can be asked (headless): what would ask is denied. */
  readonly broker: Broker | null;
  /** Decides in the automatic mode what the user would be asked. */
  readonly judge: AutoJudge;
  readonly ids: Ids;
  /** Hooks that may answer in the user's place. */
  readonly hookAnswers?: HookAnswers | undefined;
  /** Saves a rule the user chose when they were asked about `decided`. */
  readonly remember: (
    suggestion: RuleSuggestion,
    decided: readonly PermissionRequest[],
  ) => Promise<Result<null>>;
  readonly onDenied: (denial: PermissionDenial) => void;
  /** Tells the user what went wrong when a rule could not be saved. */
  readonly onProblem: (message: string) => void;
}

/** Lets permitted calls through, with exactly what was permitted. */
export const permissionGate =
  (gate: Pick<PermissionGate, 'check'>): CallMiddleware =>
  async (call, next) => {
    const answer = await gate.check(call, call.control.beforeAsking, call.signal);
    if (answer.kind === 'refused') return answer;
    const { change, decided, confirm } = answer;
    return next({ ...call, ...change, decided, ...(confirm ? { confirm } : {}) });
  };

/**
 * Creates the gate of one response: all needs of a call must be allowed, the strictest answer counts. One gate serves
 * all calls of the response, so that their questions can be shown together.
 */
export function createPermissionGate(options: PermissionGateOptions): PermissionGate {
  const { environment, broker } = options;
  let response: string | undefined;

  const judge = (requests: readonly PermissionRequest[], mode: PermissionMode): Decision =>
    strictest(
      requests.map((request) => options.decide(request, options.rules(), mode, options.context())),
    );
  const decideAll = (requests: readonly PermissionRequest[], advice?: HookAdvice): Decision => {
    const mode = options.mode(requests[0]?.tool ?? '');
    const decision = judge(requests, mode);
    if (advice === undefined) return decision;
    return advised(decision, advice, mode, () => judge(requests, 'bypassPermissions'));
  };
  const needsOf = (call: GatedCall) => requestsOf(call.tool, call.input, needsContext(environment));

  const refuse = (call: GatedCall, message: string): RefusedCall => {
    const input = observableInput(call.tool, call.input, environment);
    options.onDenied({ tool: call.tool.name, toolUseId: call.id, input });
    return { kind: 'refused', status: 'denied', message };
  };

  /** Makes the last look at a call that the user allowed, when its turn comes: no rule denies it by now, and its scripts are the same. */
  const confirmation = (call: GatedCall, scripts: ScriptHashes) => async () => {
    await options.refreshRules();
    const requests = await needsOf(call);
    const decision = decideAll(requests, call.advice);
    if (decision.behavior === 'deny') return refuse(call, `Permission denied: ${decision.reason}`);
    const changed = changedScripts(scripts, await scriptsOf(requests, environment));
    if (changed.length === 0) return null;
    return refuse(
      call,
      `Permission denied: ${named(changed)} changed after the user allowed this call, so nothing ran. Call it again, and they are asked about it as it is now.`,
    );
  };

  const named = (paths: readonly string[]): string =>
    paths
      .map((path) => relativeInside(environment.session.project, normalize(path), false) ?? path)
      .join(', ');

  /** Checks the call as the user changed it: valid, and not forbidden. What would ask is theirs to allow. */
  const revised = async (
    call: GatedCall,
    { edited, input }: Pick<Extract<BrokerAnswer, { behavior: 'allow' }>, 'edited' | 'input'>,
  ): Promise<Result<AllowedCall>> => {
    const { tool } = call;
    const given = input ?? (edited === undefined ? null : withText(call, edited));
    if (given === null) return err(fault('misfit', 'This cannot be changed.'));
    const parsed = parseHookInput(tool, given);
    if (!parsed.ok) return err(fault('invalid', parsed.error));
    const objection = await tool.validateInput(parsed.value, environment);
    if (objection !== null) return err(fault('invalid', objection));
    const decided = await needsOf({ ...call, input: parsed.value });
    const decision = decideAll(decided);
    if (decision.behavior === 'deny') {
      return err(fault('forbidden', `What you wrote is not allowed: ${decision.reason}.`));
    }
    const change = { input: parsed.value, changedBy: 'user' } as const;
    const scripts = await scriptsOf(decided, environment);
    const confirm = confirmation({ ...call, input: parsed.value }, scripts);
    return ok({ kind: 'allowed', decided, change, confirm });
  };

  const applyAnswer = async (
    call: GatedCall,
    content: ApprovalContent,
    answer: BrokerAnswer,
    ask: Broker,
  ): Promise<GateAnswer> => {
    if (answer.behavior !== 'allow') {
      return refuse(call, deniedByUser(answer.behavior === 'deny' ? answer.message : undefined));
    }
    if (isChanged(answer)) {
      const changed = await revised(call, answer);
      return changed.ok
        ? changed.value
        : refuse(call, `Permission denied: ${changed.error.message}`);
    }
    if (answer.remember) {
      const saved = await options.remember(answer.remember, content.requests);
      if (!saved.ok) options.onProblem(saved.error.message);
      await ask.recheck();
    }
    const { requests: decided, scripts } = content;
    return { kind: 'allowed', decided, confirm: confirmation(call, scripts) };
  };

  const askUser = async (
    call: GatedCall,
    content: ApprovalContent,
    ask: Broker,
    note: string | null,
    signal: AbortSignal,
    rounds = MAX_ROUNDS,
  ): Promise<GateAnswer> => {
    const plain = decideAll(content.requests, call.advice);
    const decision = note === null ? plain : withReason(plain, note);
    if (decision.behavior === 'deny') {
      return refuse(call, `Permission denied: ${decision.reason}`);
    }
    const subject = shownSubject(content, decision);
    const risks = risksOf(content.requests, options.context());
    response ??= options.ids.next('rsp');
    const approval = {
      id: options.ids.next('apr'),
      callId: call.id,
      response,
      tool: call.tool.name,
      title: titleOf(subject),
      subject,
      decision,
      digest: content.digest,
      ...(rounds < MAX_ROUNDS ? { changed: true } : {}),
      ...(risks.length === 0 ? {} : { risks: [...risks] }),
      ...(call.tool.editable === undefined ? {} : { editable: true }),
    };
    const answer = await ask.ask(
      {
        approval,
        server: call.tool.server,
        input: observableInput(call.tool, call.input, environment),
        nowAllowed: async () => decideAll(await needsOf(call), call.advice).behavior === 'allow',
        review: async (given) => {
          if (given.behavior !== 'allow' || !isChanged(given)) return ok(null);
          const changed = await revised(call, given);
          return changed.ok ? ok(null) : changed;
        },
      },
      signal,
    );
    if (signal.aborted) return interrupted(signal);
    if (answer.behavior === 'allow') await options.refreshRules();
    if (answer.behavior === 'allow' && !isChanged(answer)) {
      // A file changed, a link was turned, or a rule was added while the question stood: what was shown is no
      // longer what would happen.
      const now = await contentOf(call, environment);
      const later = decideAll(now.requests, call.advice);
      if (
        now.digest !== content.digest ||
        later.behavior === 'deny' ||
        isAskedByAnother(later, decision)
      ) {
        const scripts = changedScripts(content.scripts, now.scripts);
        const why =
          scripts.length === 0
            ? note
            : `${named(scripts)}, which it runs, changed since you were asked`;
        if (rounds > 1) return askUser(call, now, ask, why, signal, rounds - 1);
        return refuse(call, KEEPS_CHANGING);
      }
    }
    return applyAnswer(call, content, answer, ask);
  };

  /** Resolves to null when the judge of the automatic mode allows it; else to its refusal, or to a question for the user. */
  const judged = async (
    call: GatedCall,
    decision: Decision,
    signal: AbortSignal,
  ): Promise<Decision | null> => {
    const judgement = await options.judge.judge(call, decision, signal);
    if (judgement.kind === 'allow') return null;
    if (judgement.kind === 'user') return withReason(decision, judgement.reason);
    const reason = `The automatic mode refused this call: ${judgement.reason.replace(/\.?$/, '.')} Do not try the same in another way; go on without it, or stop and say what you would need.`;
    return { ...decision, behavior: 'deny', reason };
  };

  return {
    denial: async (call) => {
      const { behavior, reason } = decideAll(await needsOf(call));
      return behavior === 'deny' ? refuse(call, `Permission denied: ${reason}`) : null;
    },
    check: async (call, beforeAsking, signal) => {
      await options.freshenRules?.();
      const decided = await needsOf(call);
      const decision = decideAll(decided, call.advice);
      if (decision.behavior === 'allow') return { kind: 'allowed', decided };
      if (decision.behavior === 'deny') {
        return refuse(call, `Permission denied: ${decision.reason}`);
      }
      const asked = decision.judgeable ? await judged(call, decision, signal) : decision;
      if (asked === null) return { kind: 'allowed', decided };
      const { hookAnswers } = options;
      if (asked.behavior === 'deny') {
        await hookAnswers?.refused(call, asked.reason, signal);
        return refuse(call, asked.reason);
      }
      const hooks = async (settled: () => void, stop: AbortSignal) =>
        hookAnswers
          ? hooksAnswer(
              call,
              asked.suggestions,
              { environment, hookAnswers, decideAll, refuse, settled },
              stop,
            )
          : null;
      if (broker === null) {
        const answered = await hooks(() => {}, signal);
        if (answered) return answered;
        return refuse(
          call,
          `Permission denied: this call needs approval (${asked.reason}) and nobody can be asked in this session. Continue without it, or say what you would need.`,
        );
      }
      const user = async (stop: AbortSignal) => {
        // Looked at before its turn to ask comes, so that no question overtakes one that takes longer to put together.
        const content = await contentOf(call, environment);
        await beforeAsking();
        return askUser(call, content, broker, asked === decision ? null : asked.reason, stop);
      };
      if (hookAnswers?.any() !== true) return user(signal);
      return firstAnswer({ hooks, user }, environment.services.clock, signal);
    },
  };
}

/** Tells whether a rule asks by now that did not when the question was shown: one was added, or a file that may deny cannot be read. */
function isAskedByAnother({ behavior, rule }: Decision, shown: Decision): boolean {
  if (behavior !== 'ask' || rule === undefined) return false;
  const { text, file, source } = shown.rule ?? {};
  return rule.text !== text || rule.file !== file || rule.source !== source;
}

/** Tells whether the user put something in the place of what was asked. */
const isChanged = ({ edited, input }: Extract<BrokerAnswer, { behavior: 'allow' }>): boolean =>
  edited !== undefined || input !== undefined;

/** Returns the input with the words of the user in its text field; null for a tool that has none. */
function withText({ tool, input: before }: GatedCall, text: string) {
  if (tool.editable === undefined) return null;
  const input: Record<string, unknown> = { ...before, [tool.editable]: text };
  if (tool.describedBy !== undefined && before[tool.editable] !== text)
    delete input[tool.describedBy];
  return input;
}

/** Returns the decision with one more reason, told first. */
const withReason = (decision: Decision, reason: string): Decision => ({
  ...decision,
  reason,
  why: [reason, ...decision.why],
});

/** The most times that the user is asked about one call whose content keeps changing. */
const MAX_ROUNDS = 3;
const KEEPS_CHANGING =
  'Permission denied: what this call is about keeps changing while the user looks at it. Read it again, then try anew.';

const deniedByUser = (message: string | undefined): string =>
  message
    ? `The user denied this call and said: ${message}`
    : 'The user denied this call. Do not try the same thing in another way; ask what they would prefer, or go on without it.';
