import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'

import {
  _electron,
  test as base,
  expect,
  type Browser,
  type ElectronApplication,
  type Page,
} from '@playwright/test'

import { findBrowser } from '../../scripts/lib/browser.mjs'
import { findElectron, hasDisplay, sandboxFlags } from '../../scripts/lib/electron.mjs'
import { cleanEnv, root, scratch, type Scratch } from '../support/server-process.ts'
import { openBrowser } from './electron/browser.ts'
import { startStandIn } from './electron/start.ts'
import { forgetRecords, keepOriginals } from './records.ts'

type Electron = typeof import('electron')

/** The tested application: real Electron if it is installed, otherwise the stand-in. */
export interface Desktop {
  /** Runs a function in the main process with the `electron` module, like Playwright's `evaluate`. */
  evaluate<Result, Argument>(
    run: (electron: Electron, argument: Argument) => Result | Promise<Result>,
    argument?: Argument,
  ): Promise<Result>
  /** Resolves with the first page with a matching URL. */
  page(address?: RegExp): Promise<Page>
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
  /** The output so far. */
  output(): string
  stop(): Promise<void>
}

/** An application that several journeys use in turn, with its data. */
export interface SharedDesktop extends Desktop {
  readonly dataDir: string
  readonly configDir: string
}

export interface DesktopOptions {
  readonly args?: readonly string[]
  readonly env?: Record<string, string>
  /** Null starts the application without this argument, as a user does. */
  readonly port?: number | null
}

const main = join(root, 'dist/electron/main.js')
/** Whether `DESKFORGE_ELECTRON` is a packed application instead of Electron itself. */
const isPacked = process.env['DESKFORGE_PACKED'] === '1'
export const isReal = Boolean(findElectron()) && hasDisplay()
const isPossible = isReal || Boolean(findBrowser())
const NOT_POSSIBLE = 'there is no Electron here, and no Chromium for the stand-in'

/** The owner of a prepared instance, whom the environment passes to the application. */
export const owner = {
  DESKFORGE_ROOT_PASSWORD: 'a long enough pass phrase',
  DESKFORGE_ROOT_TOKEN: 'shell-owner-token',
}

/** The variables that move a user's settings into a folder, with the default data folder in it. */
export function homeIn(folder: string): { readonly env: Record<string, string>; readonly dataDir: string } {
  if (process.platform === 'darwin')
    return { env: { HOME: folder }, dataDir: join(folder, 'Library/Application Support/Deskforge') }
  if (process.platform === 'win32') return { env: { APPDATA: folder }, dataDir: join(folder, 'Deskforge') }
  return { env: { XDG_DATA_HOME: folder }, dataDir: join(folder, 'deskforge') }
}

/** Without a data folder (null) the application uses its default. */
const argsFor = (dataDir: string | null, { args = [], port = 0 }: DesktopOptions) => [
  ...(dataDir === null ? [] : ['--data-dir', dataDir]),
  ...(port === null ? [] : ['--port', String(port)]),
  ...args,
]

async function findPage(pages: () => readonly Page[], address: RegExp): Promise<Page> {
  let found: Page | undefined
  await expect.poll(() => (found = pages().find((page) => address.test(page.url()))) !== undefined).toBe(true)
  return found as Page
}

async function onStandIn(
  browser: Browser,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Desktop> {
  const app = await startStandIn(browser, [main, ...args], { cwd: root, env })
  return { ...app, page: (address = /^https?:/) => findPage(app.pages, address) }
}

async function onElectron(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Desktop> {
  const app: ElectronApplication = await _electron.launch({
    executablePath: findElectron(),
    // A packed application contains its main file.
    args: [...sandboxFlags(), ...(isPacked ? [] : [main]), ...args],
    // Playwright turns the sandbox off by default.
    chromiumSandbox: sandboxFlags().length === 0,
    env: env as Record<string, string>,
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

type Start = (options?: DesktopOptions & { dataDir?: string | null }) => Promise<Desktop>

interface Fixtures {
  folder: Scratch
  /** Starts the application, by default on a new folder. With the variables of an owner, the instance has an owner already. */
  start: Start
  /** A running application with an owner, for journeys about anything except its start and end. */
  desktop: SharedDesktop
}

interface WorkerFixtures {
  /** Starts an application with arguments. All applications on the stand-in share a browser. */
  launch: (dataDir: string | null, options: DesktopOptions, config: string) => Promise<Desktop>
  /** The data folder of an instance with an owner, which starts begin with. */
  owned: string
  shared: SharedDesktop
}

/** Playwright's `test` with a scratch folder and a function that starts the application in it. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  launch: [
    // Playwright requires a destructured parameter.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const browser = isReal || !isPossible ? undefined : await openBrowser()
      await use((dataDir, options, config) => {
        const args = argsFor(dataDir, options)
        // The journeys must not change the settings of the current user.
        const env = cleanEnv({ XDG_CONFIG_HOME: config, ...options.env })
        return browser ? onStandIn(browser, args, env) : onElectron(args, env)
      })
      await browser?.close()
    },
    { scope: 'worker' },
  ],

  owned: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const folder = scratch()
      const dataDir = folder.path('data')
      const server = folder.start({ dataDir, env: owner })
      await server.url
      await server.stop()
      await use(dataDir)
      await folder.clear()
    },
    { scope: 'worker' },
  ],

  shared: [
    async ({ launch, owned }, use) => {
      const folder = scratch()
      const dataDir = folder.path('data')
      const configDir = folder.path('config')
      cpSync(owned, dataDir, { recursive: true })
      const desktop = await launch(dataDir, { env: owner }, configDir)
      await desktop.page()
      await desktop.evaluate(keepOriginals)
      await use({ ...desktop, dataDir, configDir })
      await desktop.stop()
      await folder.clear()
    },
    { scope: 'worker' },
  ],

  // oxlint-disable-next-line no-empty-pattern
  folder: async ({}, use) => {
    const folder = scratch()
    await use(folder)
    await folder.clear()
  },

  start: async ({ folder, launch, owned }, use, info) => {
    info.skip(!isPossible, NOT_POSSIBLE)
    const started: Desktop[] = []
    const usual = folder.path('data')
    await use(async ({ dataDir = usual, ...options } = {}) => {
      const hasOwner = options.env?.['DESKFORGE_ROOT_TOKEN'] === owner.DESKFORGE_ROOT_TOKEN
      if (hasOwner && dataDir === usual && !existsSync(join(usual, 'deskforge.db')))
        cpSync(owned, usual, { recursive: true })
      const desktop = await launch(dataDir, options, folder.path('config'))
      started.push(desktop)
      return desktop
    })
    for (const desktop of started) await desktop.stop()
    // The cause of a failure is in the output of the application.
    if (info.status !== info.expectedStatus) for (const desktop of started) console.log(desktop.output())
  },

  desktop: async ({ shared }, use, info) => {
    info.skip(!isPossible, NOT_POSSIBLE)
    await shared.evaluate(forgetRecords)
    await (await shared.page()).goto(`${new URL((await shared.page()).url()).origin}/`)
    await use(shared)
    if (info.status !== info.expectedStatus) console.log(shared.output())
  },
})

export { expect } from '@playwright/test'
