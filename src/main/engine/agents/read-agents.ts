import { basename } from 'node:path';
import { z } from 'zod';
import { plainLine } from '../../../shared/plain-line';
import type { SettingsProblem } from '../../../shared/settings';
import type { Files } from '../ports';
import { bindsByName, hooksOfDefinition } from '../settings/definition-hooks';
import type { IsModel } from '../settings/definition-places';
import { fieldProblem, frontWritten, readFrontmatter, textProblems } from '../settings/frontmatter';
import { decodeText } from '../settings/json-text';
import type { FoundFile } from '../settings/markdown-files';
import { type Complain, readAgentFields } from './agent-fields';
import type { AgentDefinition, AgentSource } from './definitions';

/** The definitions of one place, and what could not be used as written. */
export interface ReadAgents {
  readonly definitions: readonly AgentDefinition[];
  readonly problems: readonly SettingsProblem[];
  /** Definitions that are left out for a fault: no weaker one of their name may stand in, which would have more. */
  readonly dropped?: readonly Pick<AgentDefinition, 'name' | 'source'>[];
}

/** Larger files define no agents. Bytes. */
const MAX_AGENT_BYTES = 512 * 1024;
const MAX_NAME = 64;

/** Reads a Markdown file that defines an agent: its fields, and the prompt behind them. Never fails. */
export async function readAgentFile(
  files: Files,
  { path: file }: FoundFile,
  source: AgentSource,
  isModel?: IsModel,
): Promise<ReadAgents> {
  let called = basename(file, '.md');
  const none = (message: string, line?: number, field = ''): ReadAgents => ({
    definitions: [],
    problems: [fieldProblem(file, field, `${message}${leftOut(called)}`, line)],
    dropped: [{ name: called, source }],
  });
  /** A text about agents, not one of them. */
  const other = (message: string): ReadAgents => ({
    definitions: [],
    problems: [fieldProblem(file, '', `${message}, so it defines no agent`)],
  });
  const bytes = await files.read(file, MAX_AGENT_BYTES);
  if (!bytes.ok) return none(bytes.error.message.replace(/\.$/, ''));
  if (bytes.value.byteLength === 0) return other('the file is empty');
  // UTF-16 without a mark has a zero beside each letter.
  const written = frontWritten(decodeText(bytes.value).text.replaceAll('\0', ''));
  called = nameWritten(written ?? '') ?? called;
  const front = await readFrontmatter(bytes.value);
  const { fields, body, fault, lineOf, odd } = front;
  if (fault !== null) return none(fault.message, fault.line);
  if (fields.size === 0 && odd.length === 0) {
    if (/(^|[\\/])readme\.md$/i.test(file)) return { definitions: [], problems: [] };
    const why = 'it does not begin with fields between two lines ---';
    return written === null ? other(why) : none(why);
  }
  const lost = odd.find(({ name }) => bindsByName(name));
  if (lost !== undefined) return none('this is no name of a field', lost.line, lost.name);
  const problems = odd.map(({ name, line }) =>
    fieldProblem(file, name, 'this is no name of a field', line),
  );
  problems.push(...textProblems(file, front.remarks));
  const name = fields.get('name');
  const wrong = wrongName(name);
  if (wrong !== null) return none(wrong, lineOf('name'), 'name');
  called = String(name).trim();
  const description = fields.get('description');
  if (typeof description !== 'string' || description.trim() === '') {
    return none('a text is expected', lineOf('description'), 'description');
  }
  const complain: Complain = (field, message, result) => {
    const words = result === 'leftOut' ? `${message}${leftOut(called)}` : message;
    problems.push(fieldProblem(file, field, words, lineOf(field)));
  };
  const { hooks, rules, rest } = guardsOf(fields, { source, file }, complain);
  const read = readAgentFields(rest, complain, file, isModel);
  if (read === null) return { definitions: [], problems, dropped: [{ name: called, source }] };
  const definition: AgentDefinition = {
    ...read,
    name: called,
    description: description.trim(),
    prompt: body,
    source,
    file,
    ...(hooks.length === 0 ? {} : { hooks }),
    ...(rules.length === 0 ? {} : { rules }),
  };
  return { definitions: [definition], problems };
}

/** Returns the name among the fields of a definition, be they not valid YAML; null where none can be found. */
const nameWritten = (front: string): string | null =>
  /^name[ \t]*:[ \t]*["']?([^"'\r\n#]+)/m.exec(front)?.[1]?.trim() || null;

/** The part of a name that a message repeats. Characters. */
const MAX_SHOWN = 80;

/** Said of a definition that is left out: no weaker one of this name counts either. */
const leftOut = (name: string): string => `, so there is no agent "${plainLine(name, MAX_SHOWN)}"`;

/** Returns the hooks of an agent, what holds where a guard among them is lost, and the fields that are left to read. */
function guardsOf(
  fields: ReadonlyMap<string, unknown>,
  place: { readonly source: AgentSource; readonly file: string },
  complain: Complain,
) {
  const given = { ...place, calls: 'call of this agent' };
  const { misspelled, ...guards } = hooksOfDefinition(fields, given, complain);
  return { ...guards, rest: new Map([...fields].filter(([name]) => !misspelled.has(name))) };
}

/** Returns what is wrong with a name; null when nothing is. */
const wrongName = (name: unknown): string | null => {
  if (typeof name !== 'string' || name.trim() === '') return 'a text is expected';
  return name.length <= MAX_NAME && /^[\p{L}\p{N}][\p{L}\p{N} ._:-]*$/u.test(name.trim())
    ? null
    : `letters, digits, "-", "_" and "." are expected, at most ${MAX_NAME}`;
};

/** Fields of a given agent that must hold as they were meant: it is not started without them. */
const BINDING: ReadonlySet<string> = new Set([
  'disallowedTools',
  'hooks',
  'isolation',
  'mcpServers',
  'tools',
]);

const Given = z.record(z.string(), z.record(z.string(), z.unknown()));

/**
 * Reads definitions that a command line or a program gives: an object of agents by name, or its JSON. `place` names it in
 * problems, e.g. `--agents`. A problem of level `error` means that an agent is not what its giver counts on. Pure.
 */
export function readGivenAgents(value: unknown, isModel?: IsModel, place = '--agents'): ReadAgents {
  const problem = (
    name: string,
    message: string,
    level: SettingsProblem['level'] = 'error',
  ): SettingsProblem => ({
    file: place,
    field: name,
    message: `${place}: ${name === '' ? '' : `${name}: `}${message}.`,
    level,
  });
  let given = value;
  if (typeof value === 'string') {
    try {
      given = JSON.parse(value);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      return { definitions: [], problems: [problem('', `this is not JSON (${why})`)] };
    }
  }
  const parsed = Given.safeParse(given);
  if (!parsed.success) {
    const [name = ''] = parsed.error.issues[0]?.path ?? [];
    return {
      definitions: [],
      problems: [problem(String(name), 'an object of agents is expected')],
    };
  }
  const problems: SettingsProblem[] = [];
  if (Object.hasOwn(Object(given), '__proto__'))
    problems.push(problem('__proto__', 'this is no name'));
  const definitions = Object.entries(parsed.data).flatMap(([name, entry]): AgentDefinition[] => {
    const { description, prompt } = entry;
    const wrong = wrongName(name);
    if (wrong !== null) problems.push(problem(name, wrong));
    else if (typeof description !== 'string' || description.trim() === '')
      problems.push(problem(`${name}.description`, 'a text is expected'));
    else if (typeof prompt !== 'string')
      problems.push(problem(`${name}.prompt`, 'a text is expected'));
    else {
      const complain: Complain = (field, message, result) => {
        const level = BINDING.has(field) && result !== 'harmless' ? 'error' : 'warning';
        const words = result === 'leftOut' ? `${message}${leftOut(name)}` : message;
        problems.push(problem(`${name}.${field}`, words, level));
      };
      const fields = new Map(Object.entries(entry));
      const by = { source: 'commandLine', file: place } as const;
      const { hooks, rules, rest } = guardsOf(fields, by, complain);
      const read = readAgentFields(rest, complain, place, isModel);
      if (read) {
        const own = {
          ...(hooks.length === 0 ? {} : { hooks }),
          ...(rules.length === 0 ? {} : { rules }),
        };
        return [{ ...read, ...own, name, description, prompt, source: 'commandLine' }];
      }
    }
    return [];
  });
  return { definitions, problems };
}
