import { writeFileSync } from 'node:fs';

const FRAMES = 'disabled-by-default-devtools.timeline.frame';
const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', FRAMES];

/**
 * Records what the main thread of a page does while `act` runs. Gives the figures of {@link figuresOf}, how the heap grew,
 * and the time between frames. With LATHE_BENCH_TRACE the trace is kept there, for the browser's own tools.
 */
export async function traced(browser, page, act) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const heapBefore = await heapOf(session);
  await page.evaluate(watchFrames);
  await browser.startTracing(page, { categories: CATEGORIES });
  await act();
  const buffer = await browser.stopTracing();
  if (process.env.LATHE_BENCH_TRACE) writeFileSync(process.env.LATHE_BENCH_TRACE, buffer);
  const frames = await page.evaluate(() => window.benchFrames.stop());
  await session.send('HeapProfiler.collectGarbage');
  const heapAfter = await heapOf(session);
  await session.detach();
  const { traceEvents } = JSON.parse(buffer.toString());
  return {
    ...figuresOf(traceEvents),
    heapGrowthMb: (heapAfter - heapBefore) / 1e6,
    frameP95Ms: quantile(frames, 0.95),
  };
}

const heapOf = async (session) => (await session.send('Runtime.getHeapUsage')).usedSize;

/** Runs in the page: keeps the milliseconds between frames until it is stopped. */
function watchFrames() {
  const times = [];
  let last = performance.now();
  let on = true;
  const tick = (now) => {
    if (!on) return;
    times.push(now - last);
    last = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  window.benchFrames = {
    stop: () => {
      on = false;
      return times;
    },
  };
}

/**
 * Counts the tasks of the page's main thread by its own clock, so that other work on the machine does not count: the
 * longest one and the share of the time. Milliseconds.
 */
function figuresOf(events) {
  const main = mainThread(events);
  const tasks = events.filter(
    ({ name, ph, pid, tid }) =>
      ph === 'X' && pid === main.pid && tid === main.tid && name === 'RunTask',
  );
  const spent = tasks.map(({ tdur, dur }) => (tdur ?? dur) / 1000);
  const starts = tasks.map(({ ts }) => ts);
  const wallMs = (Math.max(...starts) - Math.min(...starts)) / 1000;
  const longest = tasks.toSorted((a, b) => (b.tdur ?? b.dur) - (a.tdur ?? a.dur));
  return {
    longestTaskMs: Math.max(...spent),
    longest: longest.slice(0, 8).map((task) => describe(task, events)),
    frameWorkP95Ms: quantile(workOfFrames(tasks, events, main), 0.95),
    busyMs: spent.reduce((sum, ms) => sum + ms, 0),
    mainShare: spent.reduce((sum, ms) => sum + ms, 0) / wallMs,
    byName: byName(events, main),
  };
}

/** Sums the tasks between each two frames that the main thread made, in milliseconds. */
function workOfFrames(tasks, events, { pid, tid }) {
  const frames = events
    .filter((e) => e.name === 'BeginMainThreadFrame' && e.pid === pid && e.tid === tid)
    .map(({ ts }) => ts)
    .toSorted((a, b) => a - b);
  const work = frames.map(() => 0);
  let at = 0;
  for (const { ts, tdur, dur } of tasks.toSorted((a, b) => a.ts - b.ts)) {
    while (at < frames.length && frames[at] < ts) at += 1;
    if (at < frames.length) work[at] += (tdur ?? dur) / 1000;
  }
  return work;
}

/** Returns the process and thread of the page: of all main threads of renderers the busiest. */
function mainThread(events) {
  const mains = events.filter(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  );
  const busy = ({ pid, tid }) =>
    events.filter((event) => event.pid === pid && event.tid === tid).length;
  return mains.toSorted((a, b) => busy(b) - busy(a))[0];
}

const INTERESTING = new Set([
  'FunctionCall',
  'EvaluateScript',
  'v8.compile',
  'UpdateLayoutTree',
  'Layout',
  'PrePaint',
  'Paint',
  'Layerize',
  'Commit',
  'MinorGC',
  'MajorGC',
  'FireAnimationFrame',
  'EventDispatch',
  'TimerFire',
  'RunMicrotasks',
  'HitTest',
  'IntersectionObserverController::computeIntersections',
]);

/** Sums the time of each kind of work, in milliseconds; kinds may contain each other. */
function byName(events, main) {
  const sums = {};
  for (const { name, ph, pid, tid, tdur, dur } of events) {
    if (ph !== 'X' || pid !== main.pid || tid !== main.tid || !INTERESTING.has(name)) continue;
    sums[name] = (sums[name] ?? 0) + (tdur ?? dur) / 1000;
  }
  return sums;
}

const describe = (task, events) => ({
  ms: (task.tdur ?? task.dur) / 1000,
  parts: Object.entries(
    byName(
      events.filter(({ ts }) => ts >= task.ts && ts < task.ts + task.dur),
      task,
    ),
  )
    .filter(([, ms]) => ms > 1)
    .map(([name, ms]) => `${name} ${ms.toFixed(0)}`)
    .join(', '),
});

/** Returns the value below which a share of the values lie. */
const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
