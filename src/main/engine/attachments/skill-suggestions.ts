import type { AssistantBlock, Message, ToolUseBlock } from '../../../shared/message';
import type { Attachment, CollectContext, Collector } from './attachment';

const KIND = 'skill_suggestions';

/** Skills that are suggested for one prompt. */
const MAX_SUGGESTED = 3;
const MAX_DESCRIPTION = 200;
/** Shorter words of a path say nothing. Characters. */
const MIN_WORD = 4;

/** A skill that the model may use, as it is listed. */
interface ListedSkill {
  readonly name: string;
  readonly description: string;
}

/** Tools that write, and the field of their input that names the file. */
const WRITERS: Readonly<Record<string, string>> = {
  Edit: 'file_path',
  Write: 'file_path',
  NotebookEdit: 'notebook_path',
};

/**
 * Reminds of skills between turns, once files were written whose names their descriptions speak of. Each is named once for a
 * prompt, and none that is in use. The listing tells of all; here nothing is asked of a model.
 */
export function createSkillSuggestions(skills: () => readonly ListedSkill[]): Collector {
  let queryId = '';
  let looked = 0;
  const suggested = new Set<string>();
  return {
    name: 'suggested skills',
    collect: (context) => {
      const { history, query } = context;
      if (query.queryId !== queryId) {
        suggested.clear();
        queryId = query.queryId;
        looked = 0;
      }
      const since = sincePrompt(context);
      const fresh = since.slice(looked);
      if (fresh.length === 0) return [];
      const written = fresh.flatMap((message) => writtenFiles(message, fresh));
      const used = written.length === 0 ? NONE : usedSkills(history);
      const fitting = (written.length === 0 ? [] : skills())
        .filter(({ name }) => !suggested.has(name) && !used.has(name.toLowerCase()))
        .filter((skill) => speaksOf(skill, written))
        .slice(0, MAX_SUGGESTED - suggested.size);
      const accept = () => {
        looked = since.length;
        for (const { name } of fitting) suggested.add(name);
      };
      return [{ attachment: suggestion(fitting), accept }];
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the messages behind the prompt of the running query. */
function sincePrompt({ history, query }: CollectContext): readonly Message[] {
  const at = history.findLastIndex(({ id }) => id === query.promptId);
  return at < 0 ? [] : history.slice(at + 1);
}

/** Returns the files that a message's calls wrote, as far as they did not fail. */
function writtenFiles(message: Message, later: readonly Message[]): readonly string[] {
  return callsOf(message).flatMap(({ id, name, input }) => {
    const path = input[WRITERS[name] ?? ''];
    return typeof path === 'string' && hasSucceeded(id, later) ? [path] : [];
  });
}

const hasSucceeded = (id: string, messages: readonly Message[]): boolean =>
  messages.some(
    (message) =>
      message.role === 'user' &&
      message.content.some(
        (block) =>
          block.type === 'tool_result' && block.tool_use_id === id && block.is_error !== true,
      ),
  );

const usedSkills = (history: readonly Message[]): ReadonlySet<string> =>
  new Set(
    history
      .flatMap(callsOf)
      .flatMap(({ name, input }) =>
        name === 'Skill' ? [String(input['skill']).toLowerCase()] : [],
      ),
  );

const callsOf = (message: Message): readonly ToolUseBlock[] =>
  message.role === 'assistant' ? message.content.filter(isCall) : [];

const isCall = (block: AssistantBlock): block is ToolUseBlock => block.type === 'tool_use';

/** Tells whether a skill speaks of one of these files: of its name, its ending (`.sql`), or a folder it is in. Pure. */
export function speaksOf({ name, description }: ListedSkill, files: readonly string[]): boolean {
  const text = `${name} ${description}`.toLowerCase();
  const words = new Set(text.split(/[^\p{L}\p{N}]+/u).map(singular));
  return files.some((file) => {
    const parts = file.toLowerCase().split(/[\\/]/).slice(-4);
    const base = parts.at(-1) ?? '';
    const ending = /\.[a-z0-9]+$/.exec(base)?.[0];
    if (saysSomething(base) && wholeWord(base).test(text)) return true;
    if (ending !== undefined && new RegExp(`\\${ending}(?![\\w.])`).test(text)) return true;
    return parts
      .flatMap((part) => part.split(/[^\p{L}\p{N}]+/u))
      .some((word) => word.length >= MIN_WORD && !COMMON.has(word) && words.has(singular(word)));
  });
}

/** Tells whether the name of a file says what it is about: a short or common word without an ending does not. */
const saysSomething = (name: string): boolean =>
  /[^.]\.[^.]/.test(name) || (name.length >= MIN_WORD && !COMMON.has(name));

/** Returns a pattern that finds a name where it is no part of a longer one. */
const wholeWord = (name: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}_.-])${name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?!\\.?[\\p{L}\\p{N}_-])`,
    'u',
  );

/** Words in the names of files and folders everywhere. */
const COMMON: ReadonlySet<string> = new Set(
  (
    'code common config data docs file files home html index java json lang library main misc module modules package ' +
    'packages project projects shared source sources test tests text tools type types users util utils work yaml'
  ).split(' '),
);

const singular = (word: string): string => word.replace(/s$/, '');

function suggestion(skills: readonly ListedSkill[]): Attachment | null {
  if (skills.length === 0) return null;
  const lines = skills.map(
    ({ name, description }) => `- ${name}: ${description.slice(0, MAX_DESCRIPTION)}`,
  );
  return {
    kind: KIND,
    text: [
      'These skills speak of files that you have just written. Use one with the Skill tool where it fits what you do.',
      ...lines,
    ].join('\n'),
  };
}
