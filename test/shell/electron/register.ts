// Loaded before the application (`node --import …/register.ts dist/electron/main.js`).
import { registerHooks } from 'node:module'
import { join } from 'node:path'

import { answerTo } from './link.ts'

const standIn = new URL('./index.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: standIn, shortCircuit: true } : next(specifier, context),
})

const resources = process.env['STAND_IN_RESOURCES'] ?? join(import.meta.dirname, 'resources')
Object.defineProperty(process, 'resourcesPath', { value: resources })

/** Runs a function of a journey, which arrives as its source text. Its first argument is the stand-in of Electron. */
answerTo('evaluate', async (source: string, argument: unknown) => {
  const electron: unknown = await import('./index.ts')
  const run = new Function('electron', 'argument', `return (${source})(electron, argument)`)
  return run(electron, argument)
})
