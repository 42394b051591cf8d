import type { Readable } from 'node:stream';
import type { Decision, PermissionRule } from '../../../shared/permission';
import { err, type Result } from '../../../shared/result';
import { decideBy, strictest } from '../../engine/permissions/decide';
import { absolutePath } from '../../engine/permissions/paths';
import type { DecisionContext, PermissionRequest } from '../../engine/permissions/request';
import type { Whereabouts } from '../../engine/permissions/rule-match';
import { createRuleSet, type RuleSet } from '../../engine/permissions/rule-set';
import { readRule, readRules } from '../../engine/permissions/rules';
import type { Files } from '../../engine/ports';
import type { Json } from './api-shape';
import { type CheckMistake, type CheckQuestion, readCheckLine } from './check-line';
import { inputLines, MAX_LINE_LENGTH } from './input-lines';
import type { Output } from './output';

/** The parts of `lathe permissions check`. */
export interface CheckParts {
  /** Finds out the permissions that a call needs, as in sessions; an error says why it is no call. */
  readonly needsOf: (
    tool: string,
    input: Readonly<Record<string, unknown>>,
    where: Whereabouts,
    files: Files,
  ) => Promise<Result<readonly PermissionRequest[], string>>;
  readonly files: Files;
  readonly input: Readable;
  readonly out: Output;
  /** The folder of a question without `cwd` or `home`. Absolute. */
  readonly cwd: string;
  readonly home: string;
  readonly caseInsensitive: boolean;
  /** Says something to the user that is no answer. */
  readonly complain: (line: string) => void;
}

/** Paths remembered of each kind; then it begins anew. */
const MAX_REMEMBERED = 5_000;
/** Questions looked up at the same time. */
const MAX_TOGETHER = 64;

/**
 * Answers every line of the input with one line: a decision, or for a line that cannot be used a denial that says
 * why. True when every line could be used. Answers keep the order of the questions and go out as soon as the
 * lines that came together are decided; those are judged on one look at the disk.
 */
export async function checkPermissions(parts: CheckParts): Promise<boolean> {
  const { out } = parts;
  const notes = new Notes(parts.complain);
  let usable = true;
  let number = 0;
  const read = readLists();
  let facts = { ...parts, files: rememberLooks(parts.files) };
  for await (const lines of inputLines(parts.input)) {
    const questions: Result<CheckQuestion, CheckMistake>[] = [];
    for (const line of lines) {
      number += 1;
      if (line.text.trim() === '' && !line.tooLong) continue;
      const question = line.tooLong ? tooLong(number) : readCheckLine(line.text, number);
      usable &&= question.ok;
      if (question.ok) notes.unknownFields(number, question.value.unknown);
      questions.push(question);
    }
    for (let at = 0; at < questions.length && !out.closed; at += MAX_TOGETHER) {
      const answers = await Promise.all(
        questions
          .slice(at, at + MAX_TOGETHER)
          .map((question) =>
            question.ok ? answer(question.value, facts, read) : refusal(question.error),
          ),
      );
      await out.text(answers.map((one) => `${JSON.stringify(one)}\n`).join(''));
    }
    if (out.closed) break;
    // What is there already was sent before these answers were seen: the same look at the disk will do.
    if (parts.input.readableLength === 0) facts = { ...parts, files: rememberLooks(parts.files) };
  }
  return usable;
}

const tooLong = (number: number): Result<never, CheckMistake> =>
  err({ id: number, message: `line ${number}: it is longer than ${MAX_LINE_LENGTH} characters` });

/** Returns the same files, with every path and every folder looked up once. */
export const rememberLooks = (files: Files): Files => ({
  ...files,
  stat: once(files.stat),
  realPath: once(files.realPath),
  locate: once(files.locate),
  list: once(files.list),
});

function once<T>(look: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (path) => {
    const found = known.get(path) ?? look(path);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(path, found);
    return found;
  };
}

/** A list of rules that was read, with what is wrong in it. */
interface ReadList {
  readonly given: readonly PermissionRule[];
  readonly rules: RuleSet;
  readonly problems: readonly string[];
}

/** Creates a reader of lists of rules that keeps the last one: mostly the same list stands on every line. */
function readLists(): (given: readonly PermissionRule[]) => ReadList {
  let last: ReadList | null = null;
  return (given) => {
    if (last !== null && areSame(last.given, given)) return last;
    const problems = given.flatMap((rule) => readRule(rule).problem?.message ?? []);
    last = { given, rules: createRuleSet(readRules(given)), problems };
    return last;
  };
}

const areSame = (one: readonly PermissionRule[], other: readonly PermissionRule[]): boolean =>
  one.length === other.length &&
  one.every(({ behavior, text, source }, at) => {
    const rule = other[at];
    return rule?.text === text && rule.behavior === behavior && rule.source === source;
  });

async function answer(
  question: CheckQuestion,
  parts: CheckParts,
  read: (given: readonly PermissionRule[]) => ReadList,
): Promise<Json> {
  const context = await contextOf(question, parts);
  const needed = await parts.needsOf(question.tool, question.input, context, parts.files);
  if (!needed.ok) return refusal({ id: question.id, message: needed.error });
  const { rules, problems } = read(question.rules);
  const decisions = needed.value.map((one) => decideBy(rules, one, question.mode, context));
  return toAnswer(question, strictest(decisions), problems);
}

async function contextOf(question: CheckQuestion, parts: CheckParts): Promise<DecisionContext> {
  const home = absolutePath(question.home ?? parts.home, parts.cwd, parts.home);
  const cwd = absolutePath(question.cwd ?? parts.cwd, parts.cwd, home);
  const asked = [cwd, ...question.additionalDirectories.map((dir) => absolutePath(dir, cwd, home))];
  const real = await Promise.all(asked.map((folder) => parts.files.realPath(folder)));
  const workingDirectories = [
    ...new Set([...asked, ...real.flatMap((found) => (found.ok ? [found.value] : []))]),
  ];
  const { caseInsensitive } = parts;
  return { cwd, home, project: cwd, workingDirectories, caseInsensitive };
}

function toAnswer(question: CheckQuestion, decision: Decision, problems: readonly string[]): Json {
  const { behavior, reason, rule, why, suggestions } = decision;
  return {
    id: question.id,
    behavior,
    reason,
    ...(rule ? { rule: rule.text, source: question.ruleSource } : {}),
    why: [...why, ...problems],
    suggestions: suggestions.map((suggestion) => suggestion.rule),
  };
}

const refusal = ({ id, message }: CheckMistake): Json => ({
  id,
  behavior: 'deny',
  reason: message,
  error: message,
  why: [message],
  suggestions: [],
});

/** Says once for each unknown field that it means nothing: a mistyped `rules` must not go unnoticed. */
class Notes {
  readonly #said = new Set<string>();
  readonly #complain: (line: string) => void;

  constructor(complain: (line: string) => void) {
    this.#complain = complain;
  }

  unknownFields(number: number, names: readonly string[]): void {
    for (const name of names) {
      if (this.#said.has(name) || this.#said.size >= MAX_NOTES) continue;
      this.#said.add(name);
      this.#complain(`Line ${number}: the field ${JSON.stringify(name)} means nothing here.`);
    }
  }
}

const MAX_NOTES = 20;
