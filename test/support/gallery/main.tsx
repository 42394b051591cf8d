import './gallery.css';
import { StrictMode, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { wait } from '../../../src/renderer/api/keep-connected';
import { createCodeHighlighter } from '../../../src/renderer/highlight/highlighter';
import { HighlighterContext } from '../../../src/renderer/highlight/use-highlighted';
import { KitScene } from './KitScene';
import { SCENES } from './scenes';
import { UsageScene } from './UsageScene';
import { Workbench } from './Workbench';

const query = new URLSearchParams(location.search);
const theme = query.get('theme');
if (theme) document.documentElement.dataset['theme'] = theme;

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <HighlighterContext value={createCodeHighlighter({ wait })}>
        <Shown first={query.get('scene') ?? ''} />
      </HighlighterContext>
    </StrictMode>,
  );
}

/** Shows a scene, and another from its beginning whenever a test names one: a page costs far more than what is in it. */
function Shown({ first }: { readonly first: string }) {
  const [{ name, place }, setShown] = useState({ name: first, place: 0 });
  useEffect(() => {
    // Drawn at once: a test may press a key in the next moment, and the scene before may look the same.
    const show = (event: Event) =>
      flushSync(() =>
        setShown((before) => ({ name: (event as CustomEvent).detail, place: before.place + 1 })),
      );
    window.addEventListener('scene', show);
    return () => window.removeEventListener('scene', show);
  }, []);
  return <Scene key={place} name={name} />;
}

function Scene({ name }: { readonly name: string }) {
  if (name === 'kit') return <KitScene />;
  if (name === 'usage') return <UsageScene />;
  const scene = SCENES[name];
  if (scene) return <Workbench {...scene} />;
  return (
    <ul className="p-6">
      {['kit', 'usage', ...Object.keys(SCENES)].map((each) => (
        <li key={each}>
          <a href={`?scene=${each}`}>{each}</a>
        </li>
      ))}
    </ul>
  );
}
