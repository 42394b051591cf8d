import type {
  DemoBlock,
  DemoMessage,
  DemoRequest,
  Reply,
  ReplyBlock,
} from '../../src/main/demo/messages-api';
import { nextStep } from '../../src/main/demo/script';

/** The answer to each call. */
export type Answers = (call: Extract<ReplyBlock, { type: 'call' }>) => {
  readonly text: string;
  readonly isError?: boolean;
};

export const CWD = '/home/me/harbour';
export const ALL_TOOLS = ['Bash', 'Edit', 'Grep', 'Read', 'TaskOutput', 'TodoWrite'];

const REMINDER: DemoBlock = {
  type: 'text',
  text: `<system-reminder>\nWorking directory: ${CWD}\n</system-reminder>`,
};

/** A conversation with the script, kept the way the engine keeps it: every request holds the whole history. */
export class Conversation {
  readonly replies: Reply[] = [];
  readonly #messages: DemoMessage[] = [];
  #ids = 0;

  constructor(
    readonly answers: Answers,
    readonly tools: readonly string[] = ALL_TOOLS,
  ) {}

  /** Sends a prompt and plays the tour until an answer asks for nothing more. Fails after 30 answers. */
  ask(prompt: string): this {
    this.start(prompt);
    for (let turn = 0; turn < 30; turn++) if (!this.step()) return this;
    throw new Error('the tour does not end');
  }

  /** Sends a prompt without waiting for the answer. */
  start(prompt: string): this {
    const reminder = this.#messages.length === 0 ? [REMINDER] : [];
    this.#messages.push({ role: 'user', content: [...reminder, { type: 'text', text: prompt }] });
    return this;
  }

  /** One answer and its results; false when the answer asked for nothing, or a user stopped it. `aside` is typed meanwhile. */
  step(aside?: string): boolean {
    const reply = nextStep(this.request());
    this.replies.push(reply);
    const asked = reply.flatMap((b) =>
      b.type === 'call' ? [{ call: b, id: `t${this.#ids++}` }] : [],
    );
    const said = reply.flatMap((b): DemoBlock[] =>
      b.type === 'text' ? [{ type: 'text', text: b.text }] : [],
    );
    const uses = asked.map(
      ({ call, id }): DemoBlock => ({ type: 'tool_use', id, name: call.name, input: call.input }),
    );
    this.#messages.push({ role: 'assistant', content: [...said, ...uses] });
    if (asked.length === 0) return false;
    const results = asked.map(({ call, id }): DemoBlock => {
      const { text, isError = false } = this.answers(call);
      return { type: 'tool_result', callId: id, text, isError };
    });
    const typed: DemoBlock[] = aside === undefined ? [] : [{ type: 'text', text: aside }];
    this.#messages.push({ role: 'user', content: [...results, ...typed] });
    return !results.some(
      (r) => r.type === 'tool_result' && /nterrupted|Lathe stopped/.test(r.text),
    );
  }

  request(): DemoRequest {
    return { system: '', messages: this.#messages, tools: new Set(this.tools), stream: true };
  }

  /** All calls of one tool, oldest first. */
  calls(name: string): Extract<ReplyBlock, { type: 'call' }>[] {
    return this.replies.flat().flatMap((b) => (b.type === 'call' && b.name === name ? [b] : []));
  }

  /** Everything that was said in the last answer. */
  get lastWords(): string {
    return (this.replies.at(-1) ?? []).map((b) => (b.type === 'text' ? b.text : '')).join('\n');
  }
}
