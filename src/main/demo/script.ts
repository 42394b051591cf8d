import type { DemoRequest, Reply } from './api-types';
import { say } from './blocks';
import { findPlace, type Scene } from './scene';
import {
  greet,
  lookAtTheCode,
  startTheTests,
  stopWhenAllIsWell,
  watchTheTests,
} from './steps-look';
import { proposeRepair, runTestsAgain, sumUp, tickOff } from './steps-repair';
import * as texts from './texts';

/** One step of the tour: what to answer, or null when this step has been taken. */
type Step = (scene: Scene) => Reply | null;

const STEPS: readonly Step[] = [
  greet,
  lookAtTheCode,
  startTheTests,
  watchTheTests('first'),
  stopWhenAllIsWell,
  proposeRepair,
  runTestsAgain,
  watchTheTests('second'),
  tickOff,
];

/** What the scripted model answers to a request. Pure: the same request always gets the same reply. */
export function nextStep(request: DemoRequest): Reply {
  if (request.tools.size === 0) return [say('Offline demo: harbour board')];
  const place = findPlace(request);
  if (place.kind === 'idle') return [say(texts.IDLE)];
  if (place.kind === 'lost') return [say(texts.LOST)];
  if (place.kind === 'after') return [say(texts.afterTour(place.prompt))];
  const { scene } = place;
  for (const step of STEPS) {
    const reply = step(scene);
    if (reply !== null) return withAside(scene, onlyOffered(scene, reply));
  }
  return withAside(scene, sumUp(scene));
}

const withAside = (scene: Scene, reply: Reply): Reply =>
  scene.aside === null ? reply : [say(texts.asideLine(scene.aside)), ...reply];

/** A to-do list is a nicety: where the tool is not offered, the tour goes on without it. */
const onlyOffered = (scene: Scene, reply: Reply): Reply =>
  reply.filter((b) => b.type !== 'call' || b.name !== 'TodoWrite' || scene.has('TodoWrite'));
