import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'

import {
  _electron,
  test as base,
  chromium,
  expect,
  type Browser,
  type ElectronApplication,
  type Page,
} from '@playwright/test'

import { findBrowser } from '../../scripts/lib/browser.mjs'
import { findElectron, hasDisplay, sandboxFlags } from '../../scripts/lib/electron.mjs'
import { cleanEnv, root, scratch, type Scratch } from '../support/server-process.ts'

type Electron = typeof import('electron')

/** The application under test: on real Electron where it exists, else on the stand-in. */
export interface Desktop {
  /** Runs a function in the main process with the `electron` module, as Playwright's own `evaluate` does. */
  evaluate<Result, Argument>(
    run: (electron: Electron, argument: Argument) => Result | Promise<Result>,
    argument?: Argument,
  ): Promise<Result>
  /** Resolves with the first page at a matching address. */
  page(address?: RegExp): Promise<Page>
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
  /** What it printed so far. */
  output(): string
  stop(): Promise<void>
}

export interface DesktopOptions {
  readonly args?: readonly string[]
  readonly env?: Record<string, string>
  /** Null: without this argument, as a person starts it. */
  readonly port?: number | null
}

const main = join(root, 'dist/electron/main.js')
const register = join(root, 'test/shell/electron/register.ts')
/** DESKFORGE_ELECTRON is a packed application and not Electron itself. */
const isPacked = process.env['DESKFORGE_PACKED'] === '1'
export const isReal = Boolean(findElectron()) && hasDisplay()

/** Without a data folder (null) the application looks for it itself. */
const argsFor = (dataDir: string | null, { args = [], port = 0 }: DesktopOptions) => [
  ...(dataDir === null ? [] : ['--data-dir', dataDir]),
  ...(port === null ? [] : ['--port', String(port)]),
  ...args,
]

interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

function askThrough(child: ChildProcess) {
  let lastId = 0
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (reason: Error) => void }>()
  child.on('message', ({ id, value, error }: Answer) => {
    const one = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) one?.resolve(value)
    else one?.reject(new Error(error))
  })
  child.on('exit', () => {
    for (const one of waiting.values()) one.reject(new Error('The application ended.'))
    waiting.clear()
  })
  return (asked: {
    step?: 'port' | 'hold' | 'release'
    source?: string
    argument?: unknown
  }): Promise<unknown> =>
    new Promise((resolve, reject) => {
      lastId += 1
      waiting.set(lastId, { resolve, reject })
      child.send({ id: lastId, ...asked }, (error) => error && reject(error))
    })
}

async function findPage(pages: () => Page[], address: RegExp): Promise<Page> {
  let found: Page | undefined
  await expect.poll(() => (found = pages().find((page) => address.test(page.url()))) !== undefined).toBe(true)
  return found as Page
}

function onStandIn(dataDir: string | null, options: DesktopOptions): Desktop {
  const child = spawn(process.execPath, ['--import', register, main, ...argsFor(dataDir, options)], {
    cwd: root,
    env: cleanEnv({ DESKFORGE_CHROMIUM: findBrowser(), ...options.env }),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const ask = askThrough(child)
  let browser: Promise<Browser> | undefined
  const connect = async (): Promise<Browser> => {
    await expect.poll(() => ask({ step: 'port' })).toBeGreaterThan(0)
    await ask({ step: 'hold' })
    const opened = await chromium.connectOverCDP(`http://127.0.0.1:${String(await ask({ step: 'port' }))}`)
    await ask({ step: 'release' })
    return opened
  }
  return {
    evaluate: (run, argument) => ask({ source: run.toString(), argument }) as never,
    page: async (address = /^https?:/) => {
      browser ??= connect()
      const opened = await browser
      // The shell answers the page's questions. Without a listener Playwright would answer them here as well.
      for (const context of opened.contexts()) context.on('dialog', () => undefined)
      return findPage(() => opened.contexts().flatMap((one) => one.pages()), address)
    },
    ended,
    output: () => output,
    stop: async () => {
      await browser?.then((one) => one.close()).catch(() => undefined)
      if (child.exitCode === null) child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 15_000)
      await ended
      clearTimeout(late)
    },
  }
}

async function onElectron(dataDir: string | null, options: DesktopOptions): Promise<Desktop> {
  const app: ElectronApplication = await _electron.launch({
    executablePath: findElectron(),
    // A packed application has its main file inside.
    args: [...sandboxFlags(), ...(isPacked ? [] : [main]), ...argsFor(dataDir, options)],
    env: cleanEnv(options.env) as Record<string, string>,
  })
  const child = app.process()
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return {
    evaluate: (run, argument) => app.evaluate(run as never, argument as never),
    page: (address = /^https?:/) => findPage(() => app.windows(), address),
    ended: new Promise((resolve) => child.on('close', resolve)),
    output: () => output,
    stop: () => app.close().catch(() => undefined),
  }
}

interface Fixtures {
  folder: Scratch
  start: (options?: DesktopOptions & { dataDir?: string | null }) => Promise<Desktop>
}

/** Playwright's `test` with a scratch folder and a way to start the application on data in it. */
export const test = base.extend<Fixtures>({
  // Playwright wants the braces.
  // oxlint-disable-next-line no-empty-pattern
  folder: async ({}, use) => {
    const folder = scratch()
    await use(folder)
    await folder.clear()
  },
  start: async ({ folder }, use, info) => {
    info.skip(!isReal && !findBrowser(), 'there is no Electron here, and no Chromium for the stand-in')
    const started: Desktop[] = []
    await use(async ({ dataDir = folder.path('data'), ...options } = {}) => {
      const one = isReal ? await onElectron(dataDir, options) : onStandIn(dataDir, options)
      started.push(one)
      return one
    })
    for (const one of started) await one.stop()
    // The cause of a failure is in the output of the application.
    if (info.status !== info.expectedStatus) for (const one of started) console.log(one.output())
  },
})

export { expect } from '@playwright/test'

/** The owner that a prepared instance has, given to the application by its environment. */
export const owner = {
  DESKFORGE_ROOT_PASSWORD: 'a long enough pass phrase',
  DESKFORGE_ROOT_TOKEN: 'shell-owner-token',
}
