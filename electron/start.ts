import { app, clipboard, dialog, shell } from 'electron'
import { join } from 'node:path'

import { StartupError, type StartOptions } from '../server/index.ts'
import { adoptDataDir } from './data-folder.ts'
import { keepRunning, type Running } from './keep-running.ts'
import { LaunchError } from './launch.ts'
import type { PreferencesFile } from './preferences.ts'
import { restart } from './quit.ts'
import { StartPage, type Action } from './start-page.ts'
import { text } from './texts.ts'

/** After this time a window shows that the start takes longer. */
const MOMENT_MS = 1000
const USUAL_PORT = 7080
const PORTS_TRIED = 20

interface Start {
  readonly options: StartOptions
  readonly preferences: PreferencesFile
  readonly defaultDir: string
  /** Started at login: nothing is shown unless the start fails. */
  readonly isHidden: boolean
  /** Throws if the data folder cannot be used. */
  prepare(): void
  readonly on: Parameters<typeof keepRunning>[1]
}

interface Started {
  readonly instance: Running
  /** The wanted port, if another program uses it. */
  readonly takenPort?: number
  /** Closes the start page, if it was shown. */
  closePage(): void
}

const isPortTaken = (error: unknown) => error instanceof StartupError && error.reason === 'port_taken'

/** Returns the message for the user; unexpected errors have a general one. */
export function sentenceOf(error: unknown): string {
  if (error instanceof StartupError || error instanceof LaunchError) return error.message
  return text('start.internal_error')
}

/** Tries the port of the launch or of the last start, then the next ones, then any free port. Saves the port. */
async function startOnFreePort({ options, preferences, on }: Start): Promise<Omit<Started, 'closePage'>> {
  const { gitPath } = preferences.values
  const first = options.port ?? preferences.values.port ?? USUAL_PORT
  const next = Array.from({ length: PORTS_TRIED }, (_, at) => first + at).filter((port) => port < 65_536)
  for (const port of first === 0 ? [0] : [...next, 0]) {
    try {
      const instance = await keepRunning({ ...options, port, ...(gitPath ? { gitPath } : {}) }, on)
      if (port === first) return { instance }
      preferences.set({ port: Number(new URL(instance.url).port) })
      return { instance, takenPort: first }
    } catch (error) {
      if (!isPortTaken(error) || port === 0) throw error
    }
  }
  throw new LaunchError(text('start.no_port'))
}

function actionsFor(error: unknown, { options, preferences }: Start): Action[] {
  const isGit = error instanceof StartupError && error.reason === 'git'
  const isOwnChoice = Boolean(preferences.values.gitPath ?? options.gitPath)
  const ofGit: Action[] = [
    ...(options.bundledGitPath && isOwnChoice ? (['bundled-git'] as const) : []),
    'choose-git',
  ]
  // Most other reasons are about the folder. Without the choice a wrong one could never be left again.
  const choice: Action[] = isGit ? ofGit : ['choose-folder']
  return ['try-again', ...choice, 'show-log', 'copy-details', 'quit']
}

async function chosen(kind: 'openFile' | 'openDirectory', title: string): Promise<string | undefined> {
  const { canceled, filePaths } = await dialog.showOpenDialog({ title, properties: [kind] })
  return canceled ? undefined : filePaths[0]
}

/** Runs the user's choice; returns the start to try next, or undefined if none should be tried yet. */
async function act(action: Action, error: unknown, start: Start): Promise<Start | undefined> {
  const { dataDir } = start.options
  if (action === 'show-log') await shell.openPath(join(dataDir, 'logs'))
  if (action === 'copy-details') {
    const details = error instanceof Error ? (error.stack ?? error.message) : String(error)
    await clipboard.writeText(`Deskforge ${app.getVersion()} on ${process.platform}\n${dataDir}\n${details}`)
  }
  if (action === 'choose-git') {
    const gitPath = await chosen('openFile', text('choose.git'))
    if (gitPath) start.preferences.set({ gitPath })
    return gitPath === undefined ? undefined : start
  }
  if (action === 'bundled-git') {
    start.preferences.unset('gitPath')
    const { gitPath: _, ...options } = start.options
    return { ...start, options }
  }
  if (action === 'choose-folder') {
    const folder = await chosen('openDirectory', text('choose.folder'))
    if (!folder) return undefined
    const message = adoptDataDir(start.defaultDir, folder)
    if (message) await dialog.showMessageBox({ type: 'error', message, buttons: [text('crash.ok')] })
    else {
      restart({ keepFolder: false })
      // The process is ending. A page that asks again would answer its own end with "quit".
      await new Promise<never>(() => undefined)
    }
  }
  return action === 'try-again' ? start : undefined
}

/** Starts the instance. If it cannot start, a page shows why until it starts or the user quits (undefined). */
export async function startWithHelp(first: Start): Promise<Started | undefined> {
  const page = new StartPage()
  for (let start = first; ;) {
    const late = setTimeout(() => {
      if (!start.isHidden) page.waiting(text('start.longer'))
    }, MOMENT_MS)
    try {
      start.prepare()
      const started = await startOnFreePort(start)
      clearTimeout(late)
      return { ...started, closePage: () => page.close() }
    } catch (error) {
      clearTimeout(late)
      console.error(error instanceof StartupError || error instanceof LaunchError ? error.message : error)
      for (let next: Start | undefined; !next;) {
        const action = await page.ask(sentenceOf(error), actionsFor(error, start))
        if (action === 'quit') return undefined
        next = await act(action, error, start)
        if (next) start = next
      }
    }
  }
}
