import { expect, isReal, test, type Desktop } from '../desktop.ts'
import { opened } from '../press.ts'

// Features of the shell on Windows and macOS, tested with the stand-in. The platform is replaced only during a call, because the
// server in the same process must not see it.

test.skip(isReal, 'a real Electron has its own system')

interface HandlerCalls {
  readonly platform: string
  readonly calls: [channel: string, ...args: unknown[]][]
}

/** Calls handlers of the shell on another platform. The shell answers these calls synchronously. */
const callOn = (desktop: Desktop, handlerCalls: HandlerCalls) =>
  desktop.evaluate(async ({ app, BrowserWindow, ipcMain }, { platform, calls }) => {
    const { invoke } = ipcMain as unknown as { invoke: (...args: unknown[]) => Promise<unknown> }
    const [window] = BrowserWindow.getAllWindows() as unknown as {
      overlay?: string
      webContents: { getURL(): string }
    }[]
    const frame = { url: window?.webContents.getURL(), parent: null }
    const own = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor
    const dock: string[] = []
    Object.defineProperty(process, 'platform', { ...own, value: platform })
    Object.assign(app, {
      dock: {
        setMenu: ({ items }: { items: { label: string }[] }) =>
          dock.splice(0, dock.length, ...items.map(({ label }) => label)),
      },
    })
    const answers = calls.map(([channel, ...args]) => Reflect.apply(invoke, ipcMain, [channel, frame, args]))
    Object.defineProperty(process, 'platform', own)
    Object.assign(app, { dock: undefined })
    await Promise.all(answers)
    const { badge, jumpList } = app as unknown as { badge: number; jumpList: unknown }
    return { badge, overlay: window?.overlay ?? null, jumpList, dock }
  }, handlerCalls)

const projects = [
  { name: 'heron', path: '/root/heron' },
  { name: 'tern', path: '/root/tern' },
]

test('on Windows an overlay icon indicates to-do items, and the jump list has the recent projects @core', async ({
  desktop,
}) => {
  await opened(desktop)
  const on = (...calls: HandlerCalls['calls']) => callOn(desktop, { platform: 'win32', calls })
  const { overlay, jumpList } = await on(['shell.set_badge', 3], ['shell.set_recent_projects', projects])
  expect(overlay).toBe('Pending to-dos: 3')
  const tasks = projects.map(({ name, path }) => ({
    type: 'task',
    title: name,
    program: process.execPath,
    args: `deskforge:/${path}`,
  }))
  expect(jumpList).toEqual([{ type: 'custom', name: 'Recent projects', items: tasks }])
  const after = await on(['shell.set_badge', 0], ['shell.set_recent_projects', []])
  expect([after.overlay, after.jumpList]).toEqual([null, null])
})

test('on macOS the badge counts to-do items, and the dock menu has the recent projects @core', async ({
  desktop,
}) => {
  await opened(desktop)
  const calls: HandlerCalls['calls'] = [
    ['shell.set_badge', 3],
    ['shell.set_recent_projects', projects],
  ]
  const { badge, overlay, dock } = await callOn(desktop, { platform: 'darwin', calls })
  expect({ badge, overlay, dock }).toEqual({ badge: 3, overlay: null, dock: ['heron', 'tern'] })
})

test('on macOS the context menu looks a word up @core', async ({ desktop }) => {
  await opened(desktop)
  const labels = await desktop.evaluate(({ BrowserWindow, Menu }) => {
    const own = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor
    const looked: string[] = []
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    Object.assign(contents as object, { showDefinitionForSelection: () => looked.push('looked up') })
    Object.defineProperty(process, 'platform', { ...own, value: 'darwin' })
    contents?.emit('context-menu', {}, { editFlags: {}, linkURL: '', selectionText: 'heron' })
    Object.defineProperty(process, 'platform', own)
    const { lastPopup } = Menu as unknown as { lastPopup: { items: { label: string; click(): void }[] } }
    lastPopup.items.find(({ label }) => label === 'Look Up')?.click()
    return [...lastPopup.items.map(({ label }) => label), ...looked]
  })
  expect(labels).toEqual(['Copy', 'Look Up', 'looked up'])
})
