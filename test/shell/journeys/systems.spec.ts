import { expect, isReal, test, type Desktop } from '../desktop.ts'
import { opened } from '../press.ts'

// What the shell does on Windows and macOS alone, seen on the stand-in. Only for the moment of a call it takes the computer for
// one of theirs: the server in the same process must not.

test.skip(isReal, 'a real Electron has its own system')

interface Given {
  readonly platform: string
  readonly calls: [channel: string, ...args: unknown[]][]
}

/** Calls the shell as the page does, on another system. The shell answers these calls at once. */
const callOn = (desktop: Desktop, given: Given) =>
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
  }, given)

const projects = [
  { name: 'heron', path: '/root/heron' },
  { name: 'tern', path: '/root/tern' },
]

test('on Windows a dot over the icon stands for to-dos, and the jump list has the recent projects @core', async ({
  desktop,
}) => {
  await opened(desktop)
  const on = (...calls: Given['calls']) => callOn(desktop, { platform: 'win32', calls })
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

test('on macOS the icon counts to-dos, and the dock menu has the recent projects @core', async ({
  desktop,
}) => {
  await opened(desktop)
  const calls: Given['calls'] = [
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
