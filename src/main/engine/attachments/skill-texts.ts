import type { UsedSkill, UsedSkills } from '../tools/environment';
import type { CollectedFact, Collector } from './attachment';
import { type MentionDeps, readMentioned } from './mentioned-file';
import { MAX_MENTIONS, parseMentions } from './parse-mentions';

interface SkillTextDeps extends MentionDeps {
  readonly skills: Pick<UsedSkills, 'told' | 'waiting'>;
}

/** Tells the text of each skill that was put to use, with the files that it mentions, as far as they may be read. */
export const createSkillTexts = (deps: SkillTextDeps): Collector => ({
  name: 'skills in use',
  collect: (_, signal) => {
    const waiting = deps.skills.waiting();
    return waiting.length === 0 ? [] : textsOf(waiting, deps, signal);
  },
});

async function textsOf(
  waiting: readonly UsedSkill[],
  deps: SkillTextDeps,
  signal: AbortSignal,
): Promise<readonly CollectedFact[]> {
  const facts = await Promise.all(
    waiting.map(async (used) => {
      const mentions = parseMentions(used.mentions).slice(0, MAX_MENTIONS);
      const files = await Promise.all(mentions.map((one) => readMentioned(one, deps, signal)));
      return [{ attachment: skillText(used) }, ...files.filter((file) => file !== null)];
    }),
  );
  const accept = () => deps.skills.told(waiting.length);
  return [...facts.flat(), { attachment: null, accept }];
}

/** Returns the text of a skill as the model is told it. */
export const skillText = ({ name, folder, text }: UsedSkill) => ({
  kind: 'skill',
  about: name,
  text: `The user wants you to work by the skill ${name} now (its own files are in ${folder}):\n\n${text}`,
});
