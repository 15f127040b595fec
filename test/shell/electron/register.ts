// Loaded before the application (`node --import …/register.ts dist/electron/main.js`).
import { registerHooks } from 'node:module'
import { join } from 'node:path'

import { holdPages, openedBrowser, releasePages } from './browser.ts'

const standIn = new URL('./index.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: standIn, shortCircuit: true } : next(specifier, context),
})

const resources = process.env['STAND_IN_RESOURCES'] ?? join(import.meta.dirname, 'resources')
Object.defineProperty(process, 'resourcesPath', { value: resources })

interface Asked {
  readonly id: number
  /** A step of connecting to the browser, instead of a function. `port` answers where it listens. */
  readonly step?: 'port' | 'hold' | 'release'
  /** The source of a function of the module and an argument. */
  readonly source?: string
  readonly argument?: unknown
}

/** Holds new pages and new addresses, and resolves when the pages that are opening are ready and have loaded. */
async function holdAll(): Promise<void> {
  holdPages()
  const { BrowserWindow } = await import('./index.ts')
  const opening = BrowserWindow.getAllWindows().filter((one) => one.webContents.isOpening)
  await Promise.allSettled(opening.map((one) => one.webContents.page))
  await Promise.all(opening.map((one) => one.webContents.loading))
}

async function answer({ step, source, argument }: Asked): Promise<unknown> {
  if (step === 'port') return (await openedBrowser())?.port
  if (step === 'hold') return holdAll()
  if (step === 'release') return releasePages()
  const electron: unknown = await import('./index.ts')
  const run = new Function('electron', 'argument', `return (${source})(electron, argument)`)
  return run(electron, argument)
}

process.on('message', (asked: Asked) => {
  answer(asked).then(
    (value) => process.send?.({ id: asked.id, value }),
    (error: unknown) => process.send?.({ id: asked.id, error: String(error) }),
  )
})
