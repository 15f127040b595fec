import { cpSync } from 'node:fs'

import { _electron, test as base, type ElectronApplication, type Page } from '@playwright/test'

import { findElectron, hasDisplay, sandboxFlags } from '../../../scripts/lib/electron.mjs'
import { cleanEnv, root, scratch, type RunningProcess } from '../../support/server-process.ts'

/** The administrator of a prepared instance. */
export const owner = { username: 'root', password: 'a long enough pass phrase', token: 'e2e-owner-token' }

/** A separate instance for one test: a new data folder, a free port, the built server and window. */
export interface Instance {
  readonly url: string
  readonly dataDir: string
  /** Calls the API as the owner. Takes the path below `/api/v4`, and returns the parsed response. Throws for other statuses than 2xx. */
  api<Answer>(method: string, path: string, body?: unknown): Promise<Answer>
}

export interface InstanceOptions {
  /** `owner`: the first run is finished and `owner` exists. `new`: the instance shows the first run. */
  readonly state: 'owner' | 'new'
}

interface Fixtures {
  instanceOptions: InstanceOptions
  instance: Instance
  /** The page of the test: a browser tab on the instance, or the window of the application. */
  view: Page
}

const isDesktop = (project: string) => project === 'electron'

function ownerEnv(options: InstanceOptions): Record<string, string> {
  if (options.state === 'new') return {}
  return { DESKFORGE_ROOT_PASSWORD: owner.password, DESKFORGE_ROOT_TOKEN: owner.token }
}

async function callApi<Answer>(url: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${url}/api/v4${path}`, {
    method,
    headers: { 'private-token': owner.token, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}

/** The reason why the window of the application cannot be used here; undefined if it can. */
export function whyNoWindow(): string | undefined {
  if (!findElectron()) return 'there is no Electron binary here'
  return hasDisplay() ? undefined : 'there is no display here'
}

interface Desktop {
  readonly app: ElectronApplication
  readonly url: string
}

async function launchDesktop(dataDir: string, options: InstanceOptions): Promise<Desktop> {
  const app = await _electron.launch({
    executablePath: findElectron(),
    args: [...sandboxFlags(), `${root}dist/electron/main.js`, '--data-dir', dataDir, '--port', '0'],
    env: cleanEnv(ownerEnv(options)) as Record<string, string>,
  })
  const window = await app.firstWindow()
  return { app, url: new URL(window.url()).origin }
}

function startServer(dataDir: string, options: InstanceOptions, start: ReturnType<typeof scratch>['start']) {
  const args = ['--data-dir', dataDir, '--port', '0']
  return start({ args, env: ownerEnv(options) }) satisfies RunningProcess
}

/**
 * The data of an instance after its first run. It was started twice, so that the compile cache is complete. Each test starts
 * with a copy, which saves the migrations and the hash of the owner's password.
 */
async function prepareData(folder: ReturnType<typeof scratch>): Promise<string> {
  const dataDir = folder.path('data')
  for (let round = 0; round < 2; round += 1) {
    const server = startServer(dataDir, { state: 'owner' }, folder.start)
    await server.url
    await server.stop()
  }
  return dataDir
}

/**
 * Delays every response and slows the code of the page, so that a journey that acts before the page is ready fails here and
 * not only on a busy machine. `DESKFORGE_TEST_SLOW` is the delay in milliseconds.
 */
async function slowDown(page: Page): Promise<void> {
  const latency = Number(process.env['DESKFORGE_TEST_SLOW'])
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: -1,
    uploadThroughput: -1,
  })
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 3 })
}

/** Maps each instance to its application, so that `view` finds the window that `instance` opened. */
const desktops = new WeakMap<Instance, ElectronApplication>()

/**
 * Playwright's `test` with an instance and a view. A journey with the tag `@electron` also runs in the window of the
 * application.
 */
export const test = base.extend<Fixtures, { preparedData: string }>({
  preparedData: [
    // Playwright requires a destructured parameter.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const folder = scratch()
      await use(await prepareData(folder))
      await folder.clear()
    },
    { scope: 'worker' },
  ],

  instanceOptions: [{ state: 'owner' }, { option: true }],

  instance: async ({ instanceOptions, preparedData }, use, info) => {
    const reason = isDesktop(info.project.name) ? whyNoWindow() : undefined
    info.skip(reason !== undefined, `the desktop window cannot be opened: ${reason}`)
    const folder = scratch()
    const dataDir = folder.path('data')
    if (instanceOptions.state === 'owner') cpSync(preparedData, dataDir, { recursive: true })
    const desktop = isDesktop(info.project.name) ? await launchDesktop(dataDir, instanceOptions) : undefined
    const url = desktop?.url ?? (await startServer(dataDir, instanceOptions, folder.start).url)
    const api: Instance['api'] = (method, path, body) => callApi(url, method, path, body)
    const instance: Instance = { url, dataDir, api }
    if (desktop) desktops.set(instance, desktop.app)
    await use(instance)
    await desktop?.app.close()
    await folder.clear()
  },

  view: async ({ instance, browser, contextOptions }, use) => {
    const app = desktops.get(instance)
    if (app) return use(await app.firstWindow())
    const context = await browser.newContext({ ...contextOptions, baseURL: instance.url })
    const page = await context.newPage()
    if (process.env['DESKFORGE_TEST_SLOW']) await slowDown(page)
    await use(page)
    await context.close()
  },
})

export { expect } from '@playwright/test'
