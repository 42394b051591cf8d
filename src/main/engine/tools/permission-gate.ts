import type {
  ApprovalSubject,
  Decision,
  PermissionDenial,
  PermissionMode,
  PermissionRule,
  RuleSuggestion,
} from '../../../shared/permission';
import type { Result } from '../../../shared/result';
import type { Broker } from '../permissions/broker';
import type { Decide, DecisionContext } from '../permissions/request';
import type { Ids } from '../ports';
import { observableInput } from './observable-input';
import type { AnyTool, ToolEnvironment } from './tool';

/** Whether a call may run; if not, what the model is told. */
export type Verdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly status: 'denied' | 'cancelled'; readonly message: string };

/** A call that wants to run. Its input has passed the schema. */
export interface GatedCall {
  readonly id: string;
  readonly tool: AnyTool;
  readonly input: Record<string, unknown>;
}

export interface PermissionGate {
  /** Decides, asking the person when need be. `onAsk` is called before that, and waited for: questions come in order. */
  check(call: GatedCall, onAsk: () => Promise<void>, signal: AbortSignal): Promise<Verdict>;
}

export interface PermissionGateOptions {
  readonly environment: ToolEnvironment;
  readonly decide: Decide;
  readonly rules: () => readonly PermissionRule[];
  readonly mode: () => PermissionMode;
  readonly context: () => DecisionContext;
  /** Null where nobody can be asked (headless): what would ask is denied. */
  readonly broker: Broker | null;
  readonly ids: Ids;
  /** Saves a rule the person chose. */
  readonly remember: (suggestion: RuleSuggestion) => Promise<Result<null>>;
  readonly onDenied: (denial: PermissionDenial) => void;
  /** Tells the person what went wrong when a rule could not be saved. */
  readonly onProblem: (message: string) => void;
}

/** One place where every call is decided: all its needs must be allowed, the strictest answer counts. */
export function createPermissionGate(options: PermissionGateOptions): PermissionGate {
  const { environment, broker } = options;

  const decideCall = async (call: GatedCall): Promise<Decision> => {
    const requests = await call.tool.needs(call.input, environment);
    const decisions = requests.map((request) =>
      options.decide(request, options.rules(), options.mode(), options.context()),
    );
    return strictest(decisions);
  };

  const refuse = (call: GatedCall, message: string): Verdict => {
    const input = observableInput(call.tool, call.input, environment);
    options.onDenied({ tool: call.tool.name, toolUseId: call.id, input });
    return { allowed: false, status: 'denied', message };
  };

  const askPerson = async (
    call: GatedCall,
    decision: Decision,
    ask: Broker,
    signal: AbortSignal,
  ): Promise<Verdict> => {
    const subject = withParts(await call.tool.subject(call.input, environment), decision);
    const answer = await ask.ask(
      {
        id: options.ids.next('apr'),
        callId: call.id,
        tool: call.tool.name,
        title: titleOf(subject),
        subject,
        decision,
      },
      async () => (await decideCall(call)).behavior === 'allow',
      signal,
    );
    if (signal.aborted) {
      return { allowed: false, status: 'cancelled', message: 'Interrupted by the user.' };
    }
    if (answer.behavior === 'deny') return refuse(call, deniedByPerson(answer.message));
    if (answer.remember) {
      const saved = await options.remember(answer.remember);
      if (!saved.ok) options.onProblem(saved.error.message);
      await ask.recheck();
    }
    return { allowed: true };
  };

  return {
    check: async (call, onAsk, signal) => {
      const decision = await decideCall(call);
      if (decision.behavior === 'allow') return { allowed: true };
      if (decision.behavior === 'deny') {
        return refuse(call, `Permission denied: ${decision.reason}`);
      }
      if (broker === null) {
        return refuse(
          call,
          `Permission denied: this call needs approval (${decision.reason}) and nobody can be asked in this session. Continue without it, or say what you would need.`,
        );
      }
      await onAsk();
      return askPerson(call, decision, broker, signal);
    },
  };
}

const ALLOWED: Decision = {
  behavior: 'allow',
  reason: 'it needs no permission',
  why: [],
  suggestions: [],
};

/** Joins the decisions on one call: deny over ask over allow; what asks brings its reasons together. */
export function strictest(decisions: readonly Decision[]): Decision {
  const denied = decisions.find((d) => d.behavior === 'deny');
  if (denied) return denied;
  const asking = decisions.filter((d) => d.behavior === 'ask');
  const [first] = asking;
  if (first === undefined) return decisions[0] ?? ALLOWED;
  return {
    ...first,
    why: asking.flatMap((d) => d.why),
    suggestions: asking.flatMap((d) => d.suggestions).slice(0, 5),
  };
}

function withParts(subject: ApprovalSubject, decision: Decision): ApprovalSubject {
  return subject.kind === 'command' && decision.parts
    ? { ...subject, asks: decision.parts }
    : subject;
}

/** What the dialog's heading says: the act. */
function titleOf(subject: ApprovalSubject): string {
  switch (subject.kind) {
    case 'command':
      return subject.background ? 'Run a command in the background' : 'Run a command';
    case 'edit': {
      const [file] = subject.files;
      if (subject.files.length !== 1 || !file) return `Edit ${subject.files.length} files`;
      return file.created ? 'Create a file' : 'Edit a file';
    }
    case 'read':
      return 'Read outside the project';
    case 'tool':
      return `Use ${subject.name}`;
  }
}

const deniedByPerson = (message: string | undefined): string =>
  message
    ? `The user denied this call and said: ${message}`
    : 'The user denied this call. Do not try the same thing in another way; ask what they would prefer, or go on without it.';
