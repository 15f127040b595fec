import { spawn, type SpawnOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import type { Browser, Page } from '@playwright/test'

import { servePages } from './pages.ts'
import { channelOf } from './peer.ts'

const register = fileURLToPath(new URL('register.ts', import.meta.url))

type Electron = typeof import('electron')

/** An application on the stand-in. */
export interface StandIn {
  /** Runs a function in the application with the `electron` module. */
  evaluate<Result, Argument>(
    run: (electron: Electron, argument: Argument) => Result | Promise<Result>,
    argument?: Argument,
  ): Promise<Result>
  pages(): readonly Page[]
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
  /** The output so far. */
  output(): string
  stop(): Promise<void>
}

/** Starts the bundle of an application. Its windows are pages of the browser, separate from those of other applications. */
export async function startStandIn(
  browser: Browser,
  args: readonly string[],
  options: SpawnOptions,
): Promise<StandIn> {
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  const child = spawn(process.execPath, ['--import', register, ...args], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const application = servePages(context, channelOf(child))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      application.end('The application ended.')
      // A killed application leaves its pages open.
      void context.close().then(() => resolve(code))
    })
  })
  return {
    evaluate: (run, argument) => application.call('evaluate', run.toString(), argument),
    pages: () => context.pages(),
    ended,
    output: () => output,
    stop: async () => {
      if (child.exitCode === null) child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 15_000)
      await ended
      clearTimeout(late)
    },
  }
}
