import { useScreen } from '../store/use-lathe';
import { Kbd } from '../ui/Kbd';
import { keyOf } from './keys';

/** What an empty conversation says: what one can ask, and three keys worth knowing. */
export function Welcome() {
  const project = useScreen((s) => s.opened?.name ?? '');
  const demo = useScreen((s) => s.app?.connection.kind === 'demo');
  return (
    <div className="mx-auto flex h-full w-full max-w-[calc(var(--prose-width)+48px)] flex-col justify-end px-6 pb-8">
      <h2 className="text-display font-semibold tracking-tight text-balance">
        What shall we do in {project}?
      </h2>
      <p className="mt-2 max-w-[58ch] text-body text-ink-2">
        {demo
          ? 'This is the offline demo: the model is scripted, everything else is real. Ask it to fix the failing test.'
          : 'Say what you want in your own words. You see every step, and Lathe asks before it changes files or runs commands.'}
      </p>
      <dl className="mt-6 grid w-fit grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2 text-code text-ink-2">
        {(
          [
            ['palette', 'everything Lathe can do'],
            ['cycleMode', 'ask, edit freely, or only plan'],
            ['terminal', 'a terminal of your own'],
          ] as const
        ).map(([id, text]) => (
          <div key={id} className="contents">
            <dt className="justify-self-end">
              <Kbd keys={keyOf(id) ?? ''} />
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
